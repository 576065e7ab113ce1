"""``torch.distributed`` for one process: distributed training is not available."""

from __future__ import annotations

from typing import Any

from torchstone.microtorch.accelerator import is_available as is_available

is_initialized = is_torchelastic_launched = is_nccl_available = is_available


def init_process_group(*args: Any, **options: Any) -> Any:
    """Raise an error: process groups are not available."""
    raise RuntimeError(
        "torch.distributed: microtorch trains in one process; start the script without torchrun, "
        "RANK and WORLD_SIZE."
    )


destroy_process_group = get_rank = get_world_size = barrier = all_reduce = init_process_group
all_gather = broadcast = reduce = new_group = init_process_group
