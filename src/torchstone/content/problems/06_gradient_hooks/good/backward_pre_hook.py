# style: full backward pre-hooks, which see grad_output alone; ExitStack owns the handles
import contextlib

import torch


class _Layer:
    def __init__(self, name):
        self.name = name
        self.alive = True
        self.forget()

    def forget(self):
        self.best = None

    def __call__(self, module, grad_output):
        if not self.alive:
            return
        for grad in grad_output:
            if grad is not None and grad.nelement() > 0:
                low, high = torch.aminmax(grad)
                top = torch.maximum(-low, high)
                self.best = top if self.best is None else torch.maximum(self.best, top)


class GradientMonitor:
    def __init__(self, model):
        self._stack = contextlib.ExitStack()
        self._layers = []
        for name, module in model.named_modules():
            if any(True for _ in module.children()):
                continue
            layer = _Layer(name)
            self._layers.append(layer)
            self._stack.enter_context(module.register_full_backward_pre_hook(layer))

    def max_abs(self):
        return {x.name: None if x.best is None else float(x.best) + 0.0 for x in self._layers}

    def report(self):
        return "\n".join(
            "%s: %s" % (name, "none" if value is None else "%.3e" % value)  # noqa: UP031
            for name, value in self.max_abs().items()
        )

    def reset(self):
        for layer in self._layers:
            layer.forget()

    def remove(self):
        for layer in self._layers:
            layer.alive = False
        self._stack.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()
