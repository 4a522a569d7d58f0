"""The plain twins: the same kernels in Python and NumPy, to compare with and to serve where nothing was compiled."""
