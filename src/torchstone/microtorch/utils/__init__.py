"""Data loading and checkpointing, under the names of ``torch.utils``."""

from torchstone.microtorch.utils import checkpoint as checkpoint
from torchstone.microtorch.utils import data as data
from torchstone.microtorch.utils import dlpack as dlpack
