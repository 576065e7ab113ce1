"""Multiply matrices by tiles in Numba's simulator, as ``cudasim_kernels/matmul.cu`` does.

A module of its own: the simulator puts itself in the place of a kernel's global name ``cuda``, and
is chosen by ``NUMBA_ENABLE_CUDASIM=1`` before Numba is imported.
"""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import cuda

from benchmarks.cudasim_runs import judge

TILE = 16


@cuda.jit
def matmul(a: Any, b: Any, c: Any, n: int) -> None:
    """Compute one element of ``c = a b`` in each thread."""
    # The simulator tells shared arrays apart by their lines.
    a_tile = cuda.shared.array((TILE, TILE), numba.float32)
    b_tile = cuda.shared.array((TILE, TILE), numba.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    row = cuda.blockIdx.y * TILE + y
    column = cuda.blockIdx.x * TILE + x
    total = np.float32(0)
    for start in range(0, n, TILE):
        a_tile[y, x] = a[row, start + x]
        b_tile[y, x] = b[start + y, column]
        cuda.syncthreads()  # type: ignore[call-arg]  # numba passes the typing context
        for k in range(TILE):
            total += a_tile[y, k] * b_tile[k, x]
        cuda.syncthreads()  # type: ignore[call-arg]
    c[row, column] = total


def make_numba_matmul(size: int) -> Callable[[], None]:
    """Return a product of square matrices that has been judged once."""
    rng = np.random.default_rng(0)
    a, b = (rng.random((size, size), dtype=np.float32) for _ in range(2))
    c = np.zeros_like(a)
    launch = matmul[(size // TILE, size // TILE), (TILE, TILE)]

    def run() -> None:
        launch(a, b, c, size)

    run()
    judge("matmul of Numba", c, a @ b)
    return run
