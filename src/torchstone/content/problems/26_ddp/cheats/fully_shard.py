# verdict: FORBIDDEN_OP
# en: FSDP, which averages as well.
# zh: 使用同样会求平均的 FSDP。
from torch import nn


class MiniDDP(nn.Module):
    def __init__(
        self,
        module,
        *,
        process_group=None,
        bucket_cap_mb=25.0,
        find_unused_parameters=False,
        broadcast_buffers=True,
    ):
        super().__init__()
        from torch.distributed.fsdp import FullyShardedDataParallel

        self.module = FullyShardedDataParallel(module, process_group)

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)
