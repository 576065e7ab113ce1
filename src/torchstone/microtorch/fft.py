"""Fast Fourier transforms, under the names of ``torch.fft``."""

from torchstone.microtorch.ops.namespace import show

__getattr__ = show("fft", globals())
