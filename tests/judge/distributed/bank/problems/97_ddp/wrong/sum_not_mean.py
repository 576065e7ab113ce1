# verdict: WA value
# group: basic
# en: all_reduce adds; the mean keeps the learning rate independent of the number of ranks.
# zh: all_reduce 求的是和；取平均，学习率才与 rank 数无关。
import torch
import torch.distributed as dist
from torch import nn
from torch.autograd import Variable


class MiniDDP(nn.Module):
    def __init__(self, module, *, process_group=None, bucket_cap_mb=25.0):
        super().__init__()
        self.module = module
        self.group = process_group or dist.group.WORLD
        with torch.no_grad():
            for parameter in module.parameters():
                dist.broadcast(parameter, dist.get_global_rank(self.group, 0), group=self.group)
        self.buckets = [[]]
        size = 0
        for parameter in reversed([each for each in module.parameters() if each.requires_grad]):
            if self.buckets[-1] and size + parameter.nbytes > bucket_cap_mb * 2**20:
                self.buckets.append([])
                size = 0
            self.buckets[-1].append(parameter)
            size += parameter.nbytes
            parameter.register_post_accumulate_grad_hook(self._ready)
        self._begin()

    def _begin(self):
        self.missing = [set(map(id, bucket)) for bucket in self.buckets]
        self.launched = []
        self.is_queued = False

    def _ready(self, parameter):
        if not self.is_queued:
            Variable._execution_engine.queue_callback(self._finish)
            self.is_queued = True
        for missing in self.missing:
            missing.discard(id(parameter))
        while len(self.launched) < len(self.buckets) and not self.missing[len(self.launched)]:
            bucket = self.buckets[len(self.launched)]
            flat = torch.cat([each.grad.reshape(-1) for each in bucket])
            self.launched.append((flat, dist.all_reduce(flat, group=self.group, async_op=True)))

    def _finish(self):
        for bucket, (flat, work) in zip(self.buckets, self.launched, strict=True):
            work.wait()
            for each, part in zip(
                bucket, flat.split([each.numel() for each in bucket]), strict=True
            ):
                each.grad.copy_(part.view_as(each))
        self._begin()

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)
