"""Special functions, under the names of ``torch.special``."""

from torchstone.microtorch.ops.namespace import show

__getattr__ = show("special", globals())
