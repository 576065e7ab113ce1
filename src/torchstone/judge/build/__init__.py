"""Compile submissions in a sandbox of their own: C++, CUDA and packages."""
