# verdict: FORBIDDEN_OP
# en: torch's own wrapper, with its name put together.
# zh: 直接使用 torch 自己的包装，名字是拼出来的。
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
        self.module = module
        kind = getattr(nn.parallel, "Distributed" + "DataParallel")
        self.inner = [
            kind(
                module,
                process_group=process_group,
                bucket_cap_mb=bucket_cap_mb,
                find_unused_parameters=find_unused_parameters,
                broadcast_buffers=broadcast_buffers,
            )
        ]

    def forward(self, *args, **kwargs):
        return self.inner[0](*args, **kwargs)

    def no_sync(self):
        return self.inner[0].no_sync()
