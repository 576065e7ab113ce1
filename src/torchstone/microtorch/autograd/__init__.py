"""Automatic differentiation, under the names of ``torch.autograd``."""

import importlib

from torchstone.microtorch.autograd import function as function
from torchstone.microtorch.autograd import graph as graph
from torchstone.microtorch.autograd.function import Function as Function
from torchstone.microtorch.autograd.gradcheck import gradcheck as gradcheck
from torchstone.microtorch.autograd.gradcheck import gradgradcheck as gradgradcheck
from torchstone.microtorch.autograd.gradients import backward as backward
from torchstone.microtorch.autograd.gradients import grad as grad
from torchstone.microtorch.autograd.hooks import detect_anomaly as detect_anomaly
from torchstone.microtorch.autograd.hooks import is_anomaly_enabled as is_anomaly_enabled
from torchstone.microtorch.autograd.hooks import set_detect_anomaly as set_detect_anomaly
from torchstone.microtorch.autograd.variable import Variable as Variable
from torchstone.microtorch.grad_mode import enable_grad as enable_grad
from torchstone.microtorch.grad_mode import inference_mode as inference_mode
from torchstone.microtorch.grad_mode import no_grad as no_grad
from torchstone.microtorch.grad_mode import set_grad_enabled as set_grad_enabled


def __getattr__(name: str) -> object:
    """Import ``functional`` at first use: it is rarely needed and depends on ``torch.func``."""
    if name == "functional":
        return importlib.import_module(f"{__name__}.functional")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
