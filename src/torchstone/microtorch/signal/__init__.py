"""Signal processing, under the names of ``torch.signal``."""

from torchstone.microtorch.signal import windows as windows
