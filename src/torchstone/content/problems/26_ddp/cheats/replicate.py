# verdict: FORBIDDEN_OP
# en: The composable form of torch's wrapper.
# zh: 使用 torch 包装的可组合形式。
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
        from torch.distributed._composable.replicate import replicate

        self.module = replicate(module)

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)
