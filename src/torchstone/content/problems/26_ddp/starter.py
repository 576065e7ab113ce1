from contextlib import contextmanager

from torch import nn


class MiniDDP(nn.Module):
    """Average the gradients of a module over the ranks of a group, while the backward runs."""

    def __init__(
        self,
        module: nn.Module,
        *,
        process_group=None,
        bucket_cap_mb: float = 25.0,
        find_unused_parameters: bool = False,
        broadcast_buffers: bool = True,
    ):
        super().__init__()
        self.module = module
        raise NotImplementedError

    def forward(self, *args, **kwargs):
        raise NotImplementedError

    @contextmanager
    def no_sync(self):
        """Let gradients accumulate without communication."""
        raise NotImplementedError
        yield
