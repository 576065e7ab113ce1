"""Return the runs that ``cudasim.py`` times: kernels, compiled, with their arrays in place.

Each has run once, and its result has been compared with NumPy's, before it is given.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

KERNELS = Path(__file__).resolve().parent / "cudasim_kernels"
BLOCK = 256
# As many float4 does a thread of the reduction add up.
LOADS = 16


def compile_kernel(name: str, **options: Any) -> Any:
    """Compile one of the kernels."""
    from torchstone import cudasim

    return cudasim.compile(KERNELS / f"{name}.cu", **options)


def judge(name: str, result: Any, wanted: Any) -> None:
    """End the measurement if a result is wrong: its time would mean nothing."""
    import numpy as np

    if not np.allclose(result, wanted, rtol=1e-4, atol=1e-5):
        raise SystemExit(f"{name}: the result differs from NumPy's")


def make_matmul(
    size: int, *, tile: int = 32, check: bool = False, workers: int = 1
) -> Callable[[], None]:
    """Return a product of square matrices that is compiled, and has been judged once."""
    import numpy as np

    from torchstone import cudasim

    name = f"matmul<{tile}>"
    module = compile_kernel("matmul", check=check, workers=workers, instantiate=[name])
    rng = np.random.default_rng(0)
    left, right = (rng.random((size, size), dtype=np.float32) for _ in range(2))
    a, b = (cudasim.to_device(each, check=check) for each in (left, right))
    c = cudasim.empty((size, size), "float32", check=check)
    launch = module[name]((size // tile, size // tile), (tile, tile))

    def run() -> None:
        launch(a, b, c, size)

    run()
    judge("matmul", c.copy_to_host(), left @ right)
    return run


def make_softmax(size: int, *, check: bool = False) -> Callable[[], None]:
    """Return the softmax of so many rows."""
    import numpy as np

    from torchstone import cudasim

    module = compile_kernel("softmax", check=check, workers=1)
    rows = np.random.default_rng(0).standard_normal((size, 1024), dtype=np.float32)
    x = cudasim.to_device(rows, check=check)
    y = cudasim.empty(rows.shape, "float32", check=check)
    launch = module.softmax(size, BLOCK)

    def run() -> None:
        launch(x, y, 1024)

    run()
    powers = np.exp(rows - rows.max(1, keepdims=True))
    judge("softmax", y.copy_to_host(), powers / powers.sum(1, keepdims=True))
    return run


def make_reduce(size: int, *, check: bool = False) -> Callable[[], None]:
    """Return the sum of so many numbers, in two launches."""
    import numpy as np

    from torchstone import cudasim

    module = compile_kernel("reduce", check=check, workers=1)
    numbers = np.random.default_rng(0).random(size, dtype=np.float32)
    blocks = size // (4 * LOADS * BLOCK)
    x = cudasim.to_device(numbers, check=check)
    parts = cudasim.empty(blocks, "float32", check=check)
    out = cudasim.empty(1, "float32", check=check)
    first, second = module.reduce(blocks, BLOCK), module.reduce(1, BLOCK)

    def run() -> None:
        first(x, parts, size)
        second(parts, out, blocks)

    run()
    judge("reduce", out.copy_to_host(), numbers.sum(dtype=np.float64))
    return run


def make_tree(size: int, *, check: bool = False) -> Callable[[], None]:
    """Return the sums of so many numbers by blocks."""
    import numpy as np

    from torchstone import cudasim

    module = compile_kernel("tree", check=check, workers=1)
    numbers = np.random.default_rng(0).random(size, dtype=np.float32)
    x = cudasim.to_device(numbers, check=check)
    out = cudasim.empty(size // BLOCK, "float32", check=check)
    launch = module.tree(size // BLOCK, BLOCK)

    def run() -> None:
        launch(x, out, size)

    run()
    judge("tree", out.copy_to_host(), numbers.reshape(-1, BLOCK).sum(1))
    return run


def make_vadd(size: int, *, check: bool = False) -> Callable[[], None]:
    """Return an addition of so many numbers."""
    import numpy as np

    from torchstone import cudasim

    module = compile_kernel("vadd", check=check, workers=1)
    numbers = np.random.default_rng(0).random((2, size), dtype=np.float32)
    a, b = (cudasim.to_device(each, check=check) for each in numbers)
    c = cudasim.empty(size, "float32", check=check)
    launch = module.vadd(size // BLOCK, BLOCK)

    def run() -> None:
        launch(a, b, c, size)

    run()
    judge("vadd", c.copy_to_host(), numbers.sum(0))
    return run


MAKERS: dict[str, Callable[..., Callable[[], None]]] = {
    "matmul": make_matmul,
    "vadd": make_vadd,
    "reduce": make_reduce,
    "softmax": make_softmax,
    "tree": make_tree,
}
