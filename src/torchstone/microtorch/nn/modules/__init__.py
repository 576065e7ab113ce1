"""The module classes of ``torch.nn``, by family.

PyTorch's file names are aliases of this package, which resolves all classes.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from typing import Any

# PyTorch's file names for classes that are in other files here.
FILES = (
    "activation", "batchnorm", "channelshuffle", "container", "conv", "flatten", "fold",
    "instancenorm", "loss", "pixelshuffle", "sparse", "upsampling", "utils",
)  # fmt: skip
# Private names that programs import from these files.
_PRIVATE = {
    "_BatchNorm": "normalization",
    "_NormBase": "normalization",
    "_InstanceNorm": "normalization",
    "_ConvNd": "convolution",
    "_ConvTransposeNd": "convolution",
    "_Loss": "losses",
    "_DropoutNd": "dropout",
}
_NUMBERS = {"_single": 1, "_pair": 2, "_triple": 3, "_quadruple": 4}


def __getattr__(name: str) -> Any:
    """Resolve a class, or a PyTorch file name."""
    if name in FILES:
        return sys.modules[__name__]
    if name in _PRIVATE:
        return getattr(import_module(f"{__name__}.{_PRIVATE[name]}"), name)
    if name in _NUMBERS:
        ntuple = import_module(f"{__name__}.functional_module").ntuple
        return partial(ntuple, num=_NUMBERS[name])
    found = vars(import_module("torchstone.microtorch.nn")).get(name)
    if found is None or name.startswith("__"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return found
