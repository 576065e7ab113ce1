"""CUDA simulator: run CUDA C++ on a CPU, and find bugs such as data races.

>>> import torchstone.cudasim as cudasim
>>> module = cudasim.compile('''
... __global__ void twice(float* x, int n) {
...     int i = blockIdx.x * blockDim.x + threadIdx.x;
...     if (i < n) x[i] *= 2;
... }
... ''')  # doctest: +SKIP
>>> module.twice(4, 256)(x, len(x))  # doctest: +SKIP
"""

from torchstone.cudasim.arrays import DeviceArray, empty, to_device
from torchstone.cudasim.findings import Finding, Party, Place
from torchstone.cudasim.kernels import Kernel
from torchstone.cudasim.module import KernelError, Module, compile
from torchstone.cudasim.products import CacheError
from torchstone.cudasim.toolchain import CompileError, CompilerMissing

__all__ = [
    "CacheError",
    "CompileError",
    "CompilerMissing",
    "DeviceArray",
    "Finding",
    "Kernel",
    "KernelError",
    "Module",
    "Party",
    "Place",
    "compile",
    "empty",
    "to_device",
]
