"""Numba kernels of anonset: private, pure functions over arrays.

Nothing here raises, prints or knows of files; the packages of ``anonset`` import a kernel inside the
function that uses it, so that importing ``anonset`` never imports Numba.
"""
