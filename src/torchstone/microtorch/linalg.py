"""Linear algebra, under the names of ``torch.linalg``."""

from torchstone.microtorch.ops.namespace import show

__getattr__ = show("linalg", globals())
