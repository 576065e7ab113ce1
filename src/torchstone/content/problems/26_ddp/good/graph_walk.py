"""As torch does it: walk the graph from the outputs, and count what will not come as ready."""

from contextlib import contextmanager

import torch
import torch.distributed as dist
import torch.nn as nn
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors


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
        self.pg = process_group if process_group is not None else dist.group.WORLD
        self.size = dist.get_world_size(self.pg)
        self.find_unused_parameters = find_unused_parameters
        self.broadcast_buffers = broadcast_buffers
        self.require_sync = True
        self.armed = False
        self.finished = True
        self.parameters_ = [p for p in module.parameters() if p.requires_grad]
        if not self.parameters_:
            raise RuntimeError("MiniDDP needs a parameter that requires a gradient")
        self.index = {p: i for i, p in enumerate(self.parameters_)}
        with torch.no_grad():
            self.send_first(list(module.parameters()))
            self.send_first(list(module.buffers()))
        self.assign(int(bucket_cap_mb * (1 << 20)))
        self.accumulators = {}
        for p in self.parameters_:
            p.register_post_accumulate_grad_hook(self.mark_ready)

    def send_first(self, tensors):
        # One message for each dtype.
        for dtype in dict.fromkeys(t.dtype for t in tensors):
            mine = [t.detach() for t in tensors if t.dtype == dtype and t.numel()]
            if not mine:
                continue
            flat = _flatten_dense_tensors(mine)
            options = dist.BroadcastOptions()
            options.rootRank = 0
            options.rootTensor = 0
            self.pg.broadcast([flat], options).wait()
            for t, value in zip(mine, _unflatten_dense_tensors(flat, mine), strict=True):
                t.copy_(value)

    def assign(self, cap):
        self.buckets = []
        used = 0
        for p in reversed(self.parameters_):
            nbytes = p.numel() * p.element_size()
            new = not self.buckets or used + nbytes > cap
            if new or self.buckets[-1][-1].dtype != p.dtype:
                self.buckets.append([])
                used = 0
            self.buckets[-1].append(p)
            used += nbytes
        self.where = {p: b for b, bucket in enumerate(self.buckets) for p in bucket}

    @contextmanager
    def no_sync(self):
        old, self.require_sync = self.require_sync, False
        try:
            yield
        finally:
            self.require_sync = old

    def forward(self, *inputs, **kwargs):
        sync = self.training and torch.is_grad_enabled() and self.require_sync
        if sync and not self.finished:
            raise RuntimeError("expected to have finished the reduction of the last iteration")
        if sync and self.broadcast_buffers:
            with torch.no_grad():
                self.send_first(list(self.module.buffers()))
        output = self.module(*inputs, **kwargs)
        self.armed = sync
        if sync:
            self.prepare(output)
        return output

    def prepare(self, output):
        self.waiting = [len(bucket) for bucket in self.buckets]
        self.works = []
        self.queued = False
        self.finished = False
        self.absent = set()
        if self.find_unused_parameters:
            reached = self.reachable(output)
            self.absent = {p for p in self.parameters_ if p not in reached}
            self.bitmap = torch.ones(len(self.parameters_), dtype=torch.int32)
            for p in self.absent:
                self.bitmap[self.index[p]] = 0
                self.waiting[self.where[p]] -= 1

    def reachable(self, output):
        found, seen, stack = set(), set(), [t.grad_fn for t in self.tensors(output)]
        while stack:
            node = stack.pop()
            if node is None or node in seen:
                continue
            seen.add(node)
            if hasattr(node, "variable"):
                found.add(node.variable)
            stack.extend(parent for parent, _ in node.next_functions)
        return found

    def tensors(self, output):
        if isinstance(output, torch.Tensor):
            yield output
        elif isinstance(output, dict):
            for item in output.values():
                yield from self.tensors(item)
        elif isinstance(output, (list, tuple)):
            for item in output:
                yield from self.tensors(item)

    def mark_ready(self, p):
        if not self.armed:
            return
        if not self.queued:
            self.queued = True
            torch.autograd.Variable._execution_engine.queue_callback(self.finalize)
        self.waiting[self.where[p]] -= 1
        while len(self.works) < len(self.buckets) and self.waiting[len(self.works)] == 0:
            self.launch(self.buckets[len(self.works)])

    def launch(self, bucket):
        grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in bucket]
        flat = _flatten_dense_tensors(grads).div_(self.size)
        options = dist.AllreduceOptions()
        options.reduceOp = dist.ReduceOp.SUM
        self.works.append((flat, grads, self.pg.allreduce([flat], options)))

    def finalize(self):
        self.armed = False
        self.finished = len(self.works) == len(self.buckets)
        if self.find_unused_parameters:
            self.pg.allreduce([self.bitmap], dist.AllreduceOptions()).wait()
        for bucket, (flat, grads, work) in zip(self.buckets, self.works, strict=False):
            work.wait()
            for p, value in zip(bucket, _unflatten_dense_tensors(flat, grads), strict=True):
                if p in self.absent and self.bitmap[self.index[p]] == 0:
                    continue
                if p.grad is None:
                    p.grad = value.clone()
                else:
                    p.grad.copy_(value)
