# style: a log of events, folded when somebody asks
import math
from functools import partial


class GradientMonitor:
    def __init__(self, model):
        modules = list(model.named_modules())
        self._names = [name for name, module in modules if len(module._modules) == 0]
        self._events = []
        self._recording = {"recording"}
        self._handles = [
            module.register_forward_hook(partial(_follow, name, self._events, self._recording))
            for name, module in modules
            if name in self._names
        ]

    def max_abs(self):
        result = dict.fromkeys(self._names)
        for name, value in self._events:
            seen = [value] if result[name] is None else [value, result[name]]
            result[name] = max(seen, key=lambda item: (math.isnan(item), item))
        return result

    def report(self):
        rows = []
        for name, value in self.max_abs().items():
            rows.append(f"{name}: none" if value is None else f"{name}: {value:.3e}")
        return "\n".join(rows)

    def reset(self):
        self._events.clear()

    def remove(self):
        self._recording.clear()
        while self._handles:
            self._handles.pop().remove()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()


def _follow(name, events, recording, module, inputs, output):
    def log(grad):
        if recording and grad.numel():
            events.append((name, float(grad.detach().abs().max())))

    outputs = [output] if not isinstance(output, (tuple, list)) else output
    for tensor in outputs:
        if tensor.grad_fn is not None:
            tensor.register_hook(log)
