"""Functional layers and losses, under the names of ``torch.nn.functional``."""

from torchstone.microtorch.ops.namespace import show

__getattr__ = show("nn.functional", globals())
