"""Deprecated names of mixed precision, as in ``torch.cuda.amp``."""

from torchstone.microtorch.amp import GradScaler as GradScaler
from torchstone.microtorch.amp import autocast as _autocast
from torchstone.microtorch.amp import custom_bwd as custom_bwd
from torchstone.microtorch.amp import custom_fwd as custom_fwd
from torchstone.microtorch.dtypes import dtype as _dtype
from torchstone.microtorch.dtypes import float16 as _float16


class autocast(_autocast):
    """Autocast for a GPU, which disables itself because there is none."""

    def __init__(
        self, enabled: bool = True, dtype: _dtype = _float16, cache_enabled: bool = True
    ) -> None:
        super().__init__("cuda", dtype, enabled, cache_enabled)
