# style: 0-d tensors and torch.maximum, which keeps NaN; numbers are read once, at the end
import torch


class GradientMonitor:
    def __init__(self, model):
        self._tops = {}
        self._counts = {}
        self._handles = []
        for name, module in model.named_modules():
            if not list(module.named_children()):
                self._tops[name] = torch.zeros(())
                self._counts[name] = 0
                handle = module.register_full_backward_hook(
                    lambda _m, _gi, grads, name=name: self._update(name, grads)
                )
                self._handles.append(handle)
        self._closed = False

    @torch.no_grad()
    def _update(self, name, grads):
        if self._closed:
            return
        for grad in grads:
            if grad is not None and grad.numel() != 0:
                self._tops[name] = torch.maximum(self._tops[name], grad.abs().amax())
                self._counts[name] += 1

    def max_abs(self):
        return {
            name: top.item() if self._counts[name] else None for name, top in self._tops.items()
        }

    def report(self):
        values = self.max_abs().items()
        return "\n".join(f"{n}: {'none' if v is None else f'{v:.3e}'}" for n, v in values)

    def reset(self):
        for name in self._tops:
            self._tops[name] = torch.zeros(())
            self._counts[name] = 0

    def remove(self):
        self._closed = True
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()
