"""What is particular about submissions that are compiled: C++, CUDA and packages."""
