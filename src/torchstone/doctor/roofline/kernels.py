"""Classification of kernels by name: tensor cores, or float32 on vector units.

Libraries encode the arithmetic in kernel names. cuBLAS and cuDNN: ``sgemm`` and ``scudnn`` are
float32; ``s884``, ``h884``, ``s1688``, ``s16816`` are tile sizes of tensor cores, with the dtype of
the accumulator. XMMA: ``f32f32_tf32f32`` is TF32, ``f32f32_f32f32`` float32, ``ffma`` vector units,
``tensor16x8x8`` tensor cores. CUTLASS: ``simt`` or ``tensorop``. ``nvjet`` always uses tensor
cores. Templates have the dtype in brackets. AMD's Tensile: ``Cijk_…_SB`` is float32, and runs on
matrix cores at the rate of vector units; such names are neither.
"""

from __future__ import annotations

import re

_TENSOR = re.compile(
    r"tensorop|tensor\d|wmma|hmma|imma|gmma|warpgroup|nvjet|tf32|[a-z]884|1688|16816|16832|8816"
)
_NARROW = re.compile(
    r"bf16|fp16|f16|e4m3|e5m2|i8i8|s8s8|half|Half|BFloat16|bfloat16|hgemm|hcudnn|fp8|int8"
)
_FLOAT32 = re.compile(
    r"sgemm|scudnn|ffma|f32f32_f32f32|simt_s"
    r"|(dgrad_engine|wgrad_alg0_engine|wgrad_alg1_engine|dgrad2d_alg1_1)\w*<float"
    r"|convolve_common_engine_float|conv2d_c1_k1"
)


def uses_tensor_cores(name: str) -> bool:
    """Return whether a kernel multiplies on tensor cores, according to its name."""
    return _TENSOR.search(name) is not None


def multiplies_float32(name: str) -> bool:
    """Return whether a kernel multiplies float32 on vector units, according to its name."""
    if _FLOAT32.search(name) is None or uses_tensor_cores(name):
        return False
    return _NARROW.search(name) is None
