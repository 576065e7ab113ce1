"""Loops in C++ over arrays of NumPy: what a header computes, called from a test."""

import ctypes
import subprocess
from pathlib import Path

import numpy as np

import torchstone

INCLUDE = Path(torchstone.__file__).parent / "cudasim" / "include"

# Those of a program, so that a header is tested as it is used.
FLAGS = (
    "-std=c++17 -O2 -march=native -ffp-contract=fast -fPIC -g1 -fno-strict-aliasing -pthread"
    " -Wall -Wextra -Werror"
).split()

# EACH_2(name, R, A, B, expression): out[i] = expression, with a and b for the elements.
LOOPS = """
#define EACH_1(name, R, A, ...)                                              \\
  extern "C" void name(long n, R* out, const A* as) {                        \\
    for (long i = 0; i < n; ++i) { const A a = as[i]; out[i] = __VA_ARGS__; } \\
  }
#define EACH_2(name, R, A, B, ...)                                           \\
  extern "C" void name(long n, R* out, const A* as, const B* bs) {           \\
    for (long i = 0; i < n; ++i) {                                           \\
      const A a = as[i]; const B b = bs[i]; out[i] = __VA_ARGS__;            \\
    }                                                                        \\
  }
#define EACH_3(name, R, A, B, C, ...)                                        \\
  extern "C" void name(long n, R* out, const A* as, const B* bs, const C* cs) { \\
    for (long i = 0; i < n; ++i) {                                           \\
      const A a = as[i]; const B b = bs[i]; const C c = cs[i]; out[i] = __VA_ARGS__; \\
    }                                                                        \\
  }
"""


class Native:
    """The loops of one piece of C++."""

    def __init__(self, source: str, folder: Path):
        code, library = folder / "loops.cpp", folder / "loops.so"
        code.write_text(LOOPS + source, encoding="ascii")
        command = ["g++", *FLAGS, "-shared", f"-I{INCLUDE}", str(code), "-o", str(library)]
        subprocess.run(command, check=True, timeout=300)
        self._library = ctypes.CDLL(str(library))

    def __call__(self, name: str, dtype: type, *inputs: np.ndarray) -> np.ndarray:
        """Run the loop ``name`` over arrays of one length and return what it wrote."""
        arrays = [np.ascontiguousarray(array) for array in inputs]
        assert len({array.size for array in arrays}) == 1, "the arrays differ in length"
        out = np.empty(arrays[0].shape, dtype)
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (out, *arrays)]
        getattr(self._library, name)(ctypes.c_long(arrays[0].size), *pointers)
        return out


def same_bits(got: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return where two arrays of floating numbers agree: all bits, or both not a number."""
    unsigned = f"u{got.dtype.itemsize}"
    equal: np.ndarray = got.view(unsigned) == wanted.view(unsigned)
    return equal | (np.isnan(got) & np.isnan(wanted))
