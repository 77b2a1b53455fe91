"""Numba kernels of anonset: private, pure functions over arrays.

Kernels do not raise, print or access files. The packages of ``anonset`` import a kernel inside the function that uses
it, so that importing ``anonset`` never imports Numba. Kernels call functions of the same file, and shared functions in
files whose names begin with an underscore. Verification kernels call only verification kernels.
"""
