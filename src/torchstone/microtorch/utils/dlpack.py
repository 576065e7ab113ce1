"""DLPack exchange of tensors, under the names of ``torch.utils.dlpack``."""

from torchstone.microtorch.ops.dlpack import from_dlpack as from_dlpack
from torchstone.microtorch.ops.dlpack import to_dlpack as to_dlpack
