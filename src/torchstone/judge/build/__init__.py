"""Compile submissions in a sandbox: C++, CUDA and packages."""
