# Backward by hooks of the nodes themselves, forward by a clock, operators by the profiler.
import time
from dataclasses import dataclass

import torch
from torch.autograd.profiler import profile, record_function
from torch.utils._pytree import tree_leaves


@dataclass
class LayerStat:
    name: str
    type: str
    calls: int
    total_us: float
    self_us: float
    backward_us: float
    ops: dict


def nodes_of(values):
    return [
        tensor.grad_fn
        for tensor in tree_leaves(values)
        if isinstance(tensor, torch.Tensor) and tensor.grad_fn is not None
    ]


class LayerProfiler:
    def __init__(self, model, *, warmup=1):
        if not warmup >= 0:
            raise ValueError("warmup counts steps")
        self.model, self.warmup = model, warmup
        self.rows = {}

    def __enter__(self):
        self.rows = {
            module: LayerStat(name, module.__class__.__name__, 0, 0.0, 0.0, 0.0, {})
            for name, module in self.model.named_modules()
        }
        self.number, self.stack, self.profile, self.seen, self.hooks = 0, [], None, set(), []
        for module in self.rows:
            self.hooks += [
                module.register_forward_pre_hook(self.before, with_kwargs=True),
                module.register_forward_hook(self.after, with_kwargs=True, always_call=True),
            ]
        self.start()
        return self

    def start(self):
        if self.number == self.warmup:
            self.profile = profile()
            self.profile.__enter__()

    def step(self):
        self.number += 1
        self.seen.clear()
        self.start()

    def before(self, module, args, kwargs):
        label = record_function("::" + self.rows[module].name)
        label.__enter__()
        self.stack.append([module, label, 0.0, nodes_of((args, kwargs)), time.perf_counter()])

    def after(self, module, args, kwargs, output):
        ended = time.perf_counter()
        _, label, inside, inputs, begun = self.stack.pop()
        label.__exit__(None, None, None)
        took = 1e6 * (ended - begun)
        if self.stack:
            self.stack[-1][2] += took
        if self.profile is None:
            return
        row = self.rows[module]
        row.calls += 1
        row.self_us += took - inside
        if all(each[0] is not module for each in self.stack):
            row.total_us += took
        self.watch(row, set(inputs), nodes_of(output))

    def watch(self, row, inputs, nodes):
        """Time the nodes behind an output, up to those of the input and of inner layers."""
        while nodes:
            node = nodes.pop()
            if node is None or node in inputs or node in self.seen:
                continue
            if "AccumulateGrad" in node.name():
                continue
            self.seen.add(node)
            begun = []

            def before(grads, begun=begun):
                begun.append(time.perf_counter())

            def after(grad_inputs, grad_outputs, begun=begun):
                row.backward_us += 1e6 * (time.perf_counter() - begun.pop())

            self.hooks += [node.register_prehook(before), node.register_hook(after)]
            nodes += [earlier for earlier, _ in node.next_functions]

    def __exit__(self, *exc):
        for hook in self.hooks:
            hook.remove()
        self.seen.clear()
        if self.profile is None:
            return
        self.profile.__exit__(*exc)
        labels = {"::" + row.name: row for row in self.rows.values()}
        around = []
        events = self.profile.kineto_results.events()
        for event in sorted(events, key=lambda event: (event.start_ns(), -event.duration_ns())):
            while around and around[-1][0] <= event.start_ns():
                around.pop()
            row, name = around[-1][1] if around else None, event.name()
            if row is not None and name.startswith("aten::"):
                row.ops[name] = row.ops.get(name, 0) + 1
            around.append((event.start_ns() + event.duration_ns(), labels.get(name)))

    def stats(self):
        return list(self.rows.values())

    def table(self):
        return "\n".join(repr(row) for row in self.stats())
