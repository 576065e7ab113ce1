"""Gradients are views of flat buckets, so that nothing is copied out; the mean is gloo's own."""

import contextlib

import torch
import torch.distributed as dist
from torch import nn
from torch.autograd import Variable


class Bucket:
    def __init__(self, parameters):
        self.parameters = parameters
        self.flat = torch.zeros(
            sum(p.numel() for p in parameters), dtype=parameters[0].dtype, device="cpu"
        )
        pieces = self.flat.split([p.numel() for p in parameters])
        self.views = {p: piece.view(p.shape) for p, piece in zip(parameters, pieces, strict=True)}
        self.reset()

    def reset(self):
        self.pending = len(self.parameters)
        self.present = set()
        self.work = None

    def put(self, parameter):
        view = self.views[parameter]
        if parameter.grad is not view:
            view.copy_(parameter.grad)
            parameter.grad = view
        self.present.add(parameter)
        self.pending -= 1

    def clear_the_rest(self):
        for parameter in self.parameters:
            if parameter not in self.present:
                if parameter.grad is None:
                    self.views[parameter].zero_()
                elif parameter.grad is not self.views[parameter]:
                    self.views[parameter].copy_(parameter.grad)


class MiniDDP(nn.Module):
    def __init__(
        self,
        module,
        *,
        process_group=None,
        bucket_cap_mb: float = 25.0,
        find_unused_parameters: bool = False,
        broadcast_buffers: bool = True,
    ):
        super().__init__()
        self.module = module
        self._group = process_group or dist.distributed_c10d._get_default_group()
        self._root = dist.get_process_group_ranks(self._group)[0]
        self._find_unused = find_unused_parameters
        self._broadcast_buffers = broadcast_buffers
        self._sync = True
        self._active = False
        self._error = False
        wanted = [p for p in module.parameters() if p.requires_grad]
        if len(wanted) == 0:
            raise RuntimeError("there is nothing to synchronise")
        for tensor in (*module.parameters(), *module.buffers()):
            dist.broadcast(tensor.data, src=self._root, group=self._group)
        self._buckets = []
        self._bucket_of = {}
        room, cap = 0, bucket_cap_mb * 1024 * 1024
        collected = []
        for p in reversed(wanted):
            size = p.numel() * p.element_size()
            if collected and (size > room or collected[-1].dtype is not p.dtype):
                self._close(collected)
                collected = []
            if not collected:
                room = cap
            collected.append(p)
            room -= size
        self._close(collected)
        for p in wanted:
            p.register_post_accumulate_grad_hook(self._on_gradient)

    def _close(self, parameters):
        bucket = Bucket(parameters)
        self._buckets.append(bucket)
        for p in parameters:
            self._bucket_of[p] = bucket

    def forward(self, *args, **kwargs):
        self._active = self._sync and self.training and torch.is_grad_enabled()
        if self._active:
            if self._error:
                raise RuntimeError("a parameter took no part in the last backward")
            for bucket in self._buckets:
                bucket.reset()
            self._next, self._queued = 0, False
            if self._broadcast_buffers:
                for buffer in self.module.buffers():
                    dist.broadcast(buffer, src=self._root, group=self._group)
        return self.module(*args, **kwargs)

    @contextlib.contextmanager
    def no_sync(self):
        old = self._sync
        self._sync = False
        try:
            yield self
        finally:
            self._sync = old

    def _on_gradient(self, parameter):
        if not self._active:
            return
        if not self._queued:
            self._queued = True
            Variable._execution_engine.queue_callback(self._end)
        self._bucket_of[parameter].put(parameter)
        self._advance()

    def _advance(self):
        while self._next < len(self._buckets) and self._buckets[self._next].pending == 0:
            bucket = self._buckets[self._next]
            bucket.work = dist.all_reduce(
                bucket.flat, op=dist.ReduceOp.AVG, group=self._group, async_op=True
            )
            self._next += 1

    def _end(self):
        self._active = False
        if self._find_unused:
            for bucket in self._buckets[self._next :]:
                bucket.clear_the_rest()
                bucket.pending = 0
            self._advance()
            counts = torch.tensor(
                [float(p in bucket.present) for bucket in self._buckets for p in bucket.parameters]
            )
            dist.all_reduce(counts, group=self._group)
            counts = iter(counts.tolist())
        self._error = self._next < len(self._buckets)
        for bucket in self._buckets[: self._next]:
            bucket.work.wait()
            if self._find_unused:
                for p in bucket.parameters:
                    if next(counts) > 0:
                        p.grad = bucket.views[p]
