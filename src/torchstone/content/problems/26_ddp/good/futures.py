"""No flat bucket: a coalesced call for each, whose future is continued by a callback."""

import warnings
from contextlib import contextmanager

import torch
import torch.distributed as dist
from torch import nn


class State:
    """What one backward has seen."""

    def __init__(self, num_buckets):
        self.ready = [0] * num_buckets
        self.have = set()
        self.futures = []
        self.ends = False


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
        self.options = (process_group, find_unused_parameters, broadcast_buffers)
        self.is_syncing = True
        self.state = None
        self.incomplete = False
        learning = [p for p in module.parameters() if p.requires_grad]
        if not learning:
            raise RuntimeError("MiniDDP has nothing to do: every parameter is frozen")
        self.sync_from_first(module.parameters())
        self.sync_from_first(module.buffers())
        self.buckets = [[learning.pop()]]
        while learning:
            p, bucket = learning.pop(), self.buckets[-1]
            same = p.dtype == bucket[0].dtype
            if same and sum(q.nbytes for q in bucket) + p.nbytes <= bucket_cap_mb * 2**20:
                bucket.append(p)
            else:
                self.buckets.append([p])
        for number, bucket in enumerate(self.buckets):
            for p in bucket:
                p.register_post_accumulate_grad_hook(lambda p, n=number: self.on_grad(p, n))

    def sync_from_first(self, tensors):
        group = self.options[0]
        for tensor in tensors:
            dist.broadcast(tensor.data, group=group, group_src=0)

    @contextmanager
    def no_sync(self):
        was = self.is_syncing
        self.is_syncing = False
        try:
            yield
        finally:
            self.is_syncing = was

    def forward(self, *args, **kwargs):
        self.state = None
        if self.is_syncing and self.training and torch.is_grad_enabled():
            if self.incomplete:
                raise RuntimeError("some parameter got no gradient in the backward before")
            if self.options[2]:
                self.sync_from_first(self.module.buffers())
            self.state = State(len(self.buckets))
        return self.module(*args, **kwargs)

    def on_grad(self, p, number):
        state = self.state
        if state is None:
            return
        if not state.ends:
            state.ends = True
            torch.autograd.Variable._execution_engine.queue_callback(lambda: self.end(state))
        state.have.add(p)
        state.ready[number] += 1
        self.launch(state)

    def launch(self, state):
        while len(state.futures) < len(self.buckets):
            bucket = self.buckets[len(state.futures)]
            if state.ready[len(state.futures)] < len(bucket):
                return
            grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in bucket]
            sums = [grad.clone().contiguous() for grad in grads]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                work = dist.all_reduce_coalesced(sums, group=self.options[0], async_op=True)
            size = dist.get_world_size(self.options[0])

            def divide(future, sums=sums, size=size):
                for each in sums:
                    each.div_(size)
                return sums

            # This call hands out its future instead of its work.
            state.futures.append(work.then(divide))

    def end(self, state):
        self.state = None
        group, find_unused, _ = self.options
        used = state.have
        if find_unused:
            state.ready = [len(bucket) for bucket in self.buckets]
            self.launch(state)
            every = [p for bucket in self.buckets for p in bucket]
            flags = torch.tensor([p in state.have for p in every], dtype=torch.uint8)
            dist.all_reduce(flags, op=dist.ReduceOp.MAX, group=group)
            used = {p for p, flag in zip(every, flags.tolist(), strict=True) if flag}
        self.incomplete = len(state.futures) < len(self.buckets)
        for bucket, future in zip(self.buckets, state.futures, strict=False):
            for p, mean in zip(bucket, future.wait(), strict=True):
                if p in used:
                    p.grad = mean
