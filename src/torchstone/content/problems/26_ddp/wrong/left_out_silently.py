# verdict: WA property
# group: unused
# en: Without the flag a parameter that got no gradient is an error of the next forward; its
#   bucket was never averaged.
# zh: 没有打开该选项时，缺梯度就要在下一次前向报错：它所在的桶根本没有平均过。
from contextlib import contextmanager

import torch
import torch.distributed as dist
from torch import nn
from torch.autograd import Variable


class MiniDDP(nn.Module):
    """Average gradients over ranks, bucket by bucket, while the backward still runs."""

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
        self.group = dist.group.WORLD if process_group is None else process_group
        self.source = dist.get_global_rank(self.group, 0)
        self.find_unused = find_unused_parameters
        self.broadcast_buffers = broadcast_buffers
        self.syncs = True
        trained = [parameter for parameter in module.parameters() if parameter.requires_grad]
        if not trained:
            raise RuntimeError("MiniDDP: no parameter of the module requires a gradient.")
        self._copy_from_first([*module.parameters(), *module.buffers()])
        self.buckets = make_buckets(trained[::-1], int(bucket_cap_mb * 2**20))
        self.bucket_of = {
            parameter: number for number, bucket in enumerate(self.buckets) for parameter in bucket
        }
        for parameter in trained:
            parameter.register_post_accumulate_grad_hook(self._take)
        # Whether the next backward communicates: its forward ran outside of no_sync.
        self.will_reduce = False
        self.was_left = False
        self._begin()

    def forward(self, *args, **kwargs):
        """Run the module; if the backward to come will communicate, prepare for it."""
        self.will_reduce = self.syncs and self.training and torch.is_grad_enabled()
        if self.will_reduce:
            if self.was_left:
                raise RuntimeError(
                    "MiniDDP: a parameter got no gradient in the last backward; "
                    "use find_unused_parameters=True."
                )
            if self.broadcast_buffers:
                self._copy_from_first(self.module.buffers())
            self._begin()
        return self.module(*args, **kwargs)

    @contextmanager
    def no_sync(self):
        """Let gradients accumulate without communication."""
        before, self.syncs = self.syncs, False
        try:
            yield
        finally:
            self.syncs = before

    @torch.no_grad()
    def _copy_from_first(self, tensors):
        works = [
            dist.broadcast(each.detach(), self.source, group=self.group, async_op=True)
            for each in tensors
        ]
        for work in works:
            work.wait()

    def _begin(self):
        self.missing = [set(bucket) for bucket in self.buckets]
        self.used = set()
        self.launched = []
        self.is_queued = False

    def _take(self, parameter):
        """Take note of a gradient; launch, in order, the buckets that are now complete."""
        if not self.will_reduce:
            return
        if not self.is_queued:
            Variable._execution_engine.queue_callback(self._finish)
            self.is_queued = True
        self.used.add(parameter)
        self.missing[self.bucket_of[parameter]].discard(parameter)
        self._launch()

    def _launch(self):
        while len(self.launched) < len(self.buckets) and not self.missing[len(self.launched)]:
            bucket = self.buckets[len(self.launched)]
            flat = torch.cat([grad_or_zero(parameter).reshape(-1) for parameter in bucket])
            work = dist.all_reduce(flat, group=self.group, async_op=True)
            self.launched.append((flat, work))

    def _finish(self):
        """Wait for all buckets at the end of the backward, and write the means."""
        self.will_reduce = False
        used = self.used
        if self.find_unused:
            self.missing = [set() for _ in self.buckets]
            self._launch()
            used = self._used_anywhere()
        self.was_left = False
        for bucket, (flat, work) in zip(self.buckets, self.launched, strict=False):
            work.wait()
            flat /= self.group.size()
            parts = flat.split([parameter.numel() for parameter in bucket])
            for parameter, part in zip(bucket, parts, strict=True):
                if parameter not in used:
                    continue
                if parameter.grad is None:
                    parameter.grad = torch.empty_like(parameter)
                parameter.grad.copy_(part.view_as(parameter))

    def _used_anywhere(self):
        flags = torch.tensor([parameter in self.used for parameter in self.bucket_of]).int()
        dist.all_reduce(flags, group=self.group)
        return {parameter for parameter, flag in zip(self.bucket_of, flags, strict=True) if flag}


def make_buckets(parameters, cap_bytes):
    """Fill buckets in the given order; each has one dtype."""
    buckets, open_bytes = [], 0
    for parameter in parameters:
        last = buckets[-1] if buckets else None
        fits = last and open_bytes + parameter.nbytes <= cap_bytes
        if not fits or last[0].dtype != parameter.dtype:
            buckets.append([])
            open_bytes = 0
        buckets[-1].append(parameter)
        open_bytes += parameter.nbytes
    return buckets


def grad_or_zero(parameter):
    return torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
