# style: 0-d tensors and torch.maximum, which keeps NaN; numbers are read once, at the end
import torch


class GradientMonitor:
    def __init__(self, model):
        self._tops = {}
        self._handles = []
        for name, module in model.named_modules():
            if not list(module.named_children()):
                self._tops[name] = None
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
                old, new = self._tops[name], grad.abs().amax()
                self._tops[name] = new if old is None else torch.maximum(old, new)

    def max_abs(self):
        return {name: None if top is None else top.item() for name, top in self._tops.items()}

    def report(self):
        values = self.max_abs().items()
        return "\n".join(f"{n}: {'none' if v is None else f'{v:.3e}'}" for n, v in values)

    def reset(self):
        self._tops = dict.fromkeys(self._tops)

    def remove(self):
        self._closed = True
        for handle in self._handles:
            handle.remove()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()
