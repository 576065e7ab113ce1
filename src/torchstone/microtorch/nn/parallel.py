"""DataParallel and DistributedDataParallel for one device, as in ``torch.nn.parallel``."""

from __future__ import annotations

from typing import Any

from torchstone.microtorch.nn.modules.module import Module


class DataParallel(Module):
    """Wrapper that runs a module unchanged, because there is no GPU."""

    def __init__(
        self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        self.module = module

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Call the wrapped module."""
        return self.module(*inputs, **kwargs)


class DistributedDataParallel(Module):
    """Wrapper for training by several processes; it raises an error because there is only one."""

    def __init__(self, module: Module, *args: Any, **options: Any) -> None:
        from torchstone.microtorch.distributed import init_process_group

        init_process_group()
