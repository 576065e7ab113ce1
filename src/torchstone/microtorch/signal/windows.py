"""Window functions, under the names of ``torch.signal.windows``."""

from torchstone.microtorch.ops.namespace import show

__getattr__ = show("signal.windows", globals())
