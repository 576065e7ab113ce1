# verdict: WA value
# group: order
# en: Ranks may fill buckets in another order; collective calls must match.
# zh: 各 rank 填满桶的顺序可能不同；集合通信必须按固定顺序发起。
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
        for bucket in self.buckets:
            if bucket[0] is parameter:
                flat = parameter.grad.reshape(-1).clone()
                work = dist.all_reduce(flat, group=self.group, async_op=True)
                self.launched.append((bucket, flat, work))

    def _finish(self):
        for bucket, flat, work in self.launched:
            work.wait()
            flat /= self.group.size()
            for each, part in zip(
                bucket, flat.split([each.numel() for each in bucket]), strict=True
            ):
                each.grad.copy_(part.view_as(each))
        self._begin()

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)
