"""Reduce-scatter as an exchange and a sum in rank order, then all-gather: the bits of one process.

Behind the gradients of a bucket lie as many flags: which of them this rank has.
"""

import contextlib

import torch
import torch.distributed as dist
from torch import nn
from torch.autograd import Variable


class Exchange:
    """The exchange of one bucket: every rank sums one piece, and sends it to all."""

    def __init__(self, flat, group):
        self.group, self.size = group, dist.get_world_size(group)
        self.length = flat.numel()
        padding = -self.length % self.size
        self.sent = torch.cat([flat, flat.new_zeros(padding)])
        self.came = torch.empty_like(self.sent)
        self.work = dist.all_to_all_single(self.came, self.sent, group=group, async_op=True)

    def gather(self):
        self.work.wait()
        pieces = self.came.view(self.size, -1)
        total = pieces[0].clone()
        for piece in pieces[1:]:
            total += piece
        self.work = dist.all_gather(
            list(self.sent.view(self.size, -1).unbind()), total, group=self.group, async_op=True
        )

    def result(self):
        self.work.wait()
        return self.sent[: self.length]


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
        self.group = process_group
        self.n = dist.get_world_size(process_group)
        self.flags = find_unused_parameters
        self.with_buffers = broadcast_buffers
        self.depth = 0  # of no_sync
        self.learning = [p for p in module.parameters() if p.requires_grad]
        if not self.learning:
            raise RuntimeError("no parameter requires a gradient")
        self.share(module.parameters())
        self.share(module.buffers())
        self.layout = self.lay_out(bucket_cap_mb * 2**20)
        self.number = {p: k for k, bucket in enumerate(self.layout) for p in bucket}
        self.live = False
        self.stuck = False
        for p in self.learning:
            p.register_post_accumulate_grad_hook(self.arrived)

    def lay_out(self, cap):
        layout, current, total = [], [], 0
        for p in self.learning[::-1]:
            if current and (total + p.nbytes > cap or p.dtype != current[0].dtype):
                layout.append(current)
                current, total = [], 0
            current.append(p)
            total += p.nbytes
        return [*layout, current]

    def share(self, tensors):
        for tensor in tensors:
            value = tensor.detach().clone()
            first = dist.get_process_group_ranks(self.group or dist.group.WORLD)[0]
            dist.broadcast(value, first, group=self.group)
            tensor.data.copy_(value)

    @contextlib.contextmanager
    def no_sync(self):
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

    def forward(self, *args, **kwargs):
        self.live = self.depth == 0 and self.training and torch.is_grad_enabled()
        if self.live:
            if self.stuck:
                raise RuntimeError("the last backward left out a parameter")
            if self.with_buffers:
                self.share(self.module.buffers())
            self.here = set()
            self.exchanges = []
            self.called = False
        return self.module(*args, **kwargs)

    def arrived(self, p):
        if self.live:
            if not self.called:
                self.called = True
                Variable._execution_engine.queue_callback(self.wait_for_all)
            self.here.add(p)
            self.send(lambda bucket: all(p in self.here for p in bucket))

    def send(self, is_ready):
        while len(self.exchanges) < len(self.layout):
            bucket = self.layout[len(self.exchanges)]
            if not is_ready(bucket):
                return
            parts = [
                torch.zeros(p.numel(), dtype=p.dtype) if p.grad is None else p.grad.reshape(-1)
                for p in bucket
            ]
            if self.flags:
                parts.append(torch.tensor([p in self.here for p in bucket]).to(bucket[0].dtype))
            self.exchanges.append(Exchange(torch.cat(parts), self.group))

    def wait_for_all(self):
        self.live = False
        if self.flags:
            self.send(lambda bucket: True)
        self.stuck = len(self.exchanges) != len(self.layout)
        for exchange in self.exchanges:
            exchange.gather()
        for bucket, exchange in zip(self.layout, self.exchanges, strict=False):
            result = exchange.result()
            at = 0
            count = len(bucket)
            flags = result[-count:] if self.flags else torch.ones(count)
            for p, flag in zip(bucket, flags, strict=True):
                mean = result[at : at + p.numel()].view_as(p) / self.n
                at += p.numel()
                if flag == 0:
                    continue
                if p.grad is None:
                    p.grad = mean
                else:
                    p.grad.copy_(mean)
