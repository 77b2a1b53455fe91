"""Numba kernels of anonset: private, pure functions over arrays.

Nothing here raises, prints or knows of files; the packages of ``anonset`` import a kernel inside the
function that uses it, so that importing ``anonset`` never imports Numba. A file's kernels call those of the
file itself and the shared steps, which live in files whose names begin with an underscore; the kernels of the
verification call none but their own.
"""
