"""Tables of function objects, one mode per region, weak references, and a scale that is a float."""

import functools
import threading
import weakref

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

HALVES = torch.float16, torch.bfloat16


def spellings(*names):
    """Collect what torch, its functional module and its tensors hold under some names."""
    owners = torch, F, Tensor, torch._C._nn, torch._C.TensorBase
    return {getattr(owner, name) for owner in owners for name in names if hasattr(owner, name)}


LOWER = spellings(
    "matmul", "__matmul__", "__rmatmul__", "mm", "bmm", "mv", "addmm", "addmv", "baddbmm", "einsum",
    "linear", "bilinear", "conv1d", "conv2d", "conv3d", "scaled_dot_product_attention",
)  # fmt: skip
FLOAT32 = spellings(
    "softmax", "log_softmax", "logsumexp", "layer_norm", "cross_entropy", "nll_loss", "mse_loss",
    "l1_loss", "exp", "expm1", "log", "log1p", "log2", "log10", "pow", "__pow__", "__rpow__", "sum",
    "prod", "cumsum", "cumprod", "norm",
)  # fmt: skip
here = threading.local()


def stack():
    if not hasattr(here, "stack"):
        here.stack, here.copies = [], []
    return here.stack


class Region(TorchFunctionMode):
    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        # Modes of outer regions see this call as well, but only the innermost acts.
        if self is not stack()[-1] or self.dtype is None or kwargs.get("out") is not None:
            return func(*args, **kwargs)
        wanted = self.dtype if func in LOWER else torch.float32 if func in FLOAT32 else None
        if wanted is None:
            return func(*args, **kwargs)
        args = [convert(item, wanted) for item in args]
        return func(*args, **{key: convert(item, wanted) for key, item in kwargs.items()})


def convert(item, wanted):
    if isinstance(item, (list, tuple)) and any(isinstance(each, Tensor) for each in item):
        return [convert(each, wanted) for each in item]
    if not isinstance(item, Tensor) or item.dtype not in (torch.float32, *HALVES):
        return item
    if item.dtype == wanted:
        return item
    if item.grad_fn is not None or not item.requires_grad or item.dtype != torch.float32:
        return item.to(wanted)
    return remembered(item, wanted)


def remembered(weight, wanted):
    recorded = torch.is_grad_enabled()
    for entry in here.copies:
        reference, version, dtype, was_recorded, copy = entry
        if reference() is weight and version == weight._version and dtype == wanted:
            if was_recorded or not recorded:
                return copy
    copy = weight.to(wanted)
    here.copies.append((weakref.ref(weight), weight._version, wanted, recorded, copy))
    return copy


class autocast:
    def __init__(self, dtype=torch.bfloat16, enabled=True):
        if dtype not in HALVES:
            raise ValueError(f"no half type: {dtype}")
        self.dtype = dtype if enabled else None

    def __enter__(self):
        region = Region(self.dtype)
        stack().append(region)
        region.__enter__()

    def __exit__(self, kind, value, trace):
        stack().pop().__exit__(kind, value, trace)
        if not stack():
            here.copies = []

    def __call__(self, function):
        @functools.wraps(function)
        def inside(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return inside


class GradScaler:
    def __init__(
        self,
        init_scale=2.0**16,
        growth_factor=2.0,
        backoff_factor=0.5,
        growth_interval=2000,
        enabled=True,
    ):
        assert growth_factor > 1.0
        assert 0.0 < backoff_factor < 1.0
        self.value, self.growth, self.backoff = init_scale, growth_factor, backoff_factor
        self.interval, self.enabled, self.good = growth_interval, enabled, 0
        self.found, self.done = weakref.WeakKeyDictionary(), weakref.WeakSet()

    def scale(self, outputs):
        if not self.enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * torch.full((), self.value, device=outputs.device)
        scaled = [self.scale(each) for each in outputs]
        return tuple(scaled) if isinstance(outputs, tuple) else scaled

    def unscale_(self, optimizer):
        if not self.enabled:
            return
        if optimizer in self.done or optimizer in self.found:
            raise RuntimeError("these gradients were unscaled already")
        grads = []
        for group in optimizer.param_groups:
            grads += [weight.grad for weight in group["params"] if weight.grad is not None]
        if torch.float16 in {grad.dtype for grad in grads}:
            raise ValueError("float16 gradients")
        good = [torch.isfinite(grad).all() for grad in grads]
        for grad in grads:
            grad.detach().div_(self.value)
        if grads:
            self.found[optimizer] = not all(good)

    def step(self, optimizer, *args, **kwargs):
        if not self.enabled:
            return optimizer.step(*args, **kwargs)
        if kwargs.get("closure") is not None:
            raise RuntimeError("no closures")
        if optimizer in self.done:
            raise RuntimeError("one step for each update")
        if optimizer not in self.found:
            self.unscale_(optimizer)
        assert optimizer in self.found, "no gradients"
        self.done.add(optimizer)
        if not self.found[optimizer]:
            return optimizer.step(*args, **kwargs)
        return None

    def update(self, new_scale=None):
        if not self.enabled:
            return
        results = list(self.found.values())
        self.found.clear()
        self.done.clear()
        if new_scale is not None:
            self.value = float(new_scale)
            return
        assert results, "nothing was checked"
        self.good = 0 if any(results) else self.good + 1
        if not self.good:
            self.value *= self.backoff
        elif self.good == self.interval:
            self.good = 0
            grown = self.value * self.growth
            self.value = grown if grown <= torch.finfo().max else self.value

    def get_scale(self):
        return float(self.value) if self.enabled else 1.0

    def is_enabled(self):
        return self.enabled

    def state_dict(self):
        names = ("scale", "growth_factor", "backoff_factor", "growth_interval", "_growth_tracker")
        values = self.value, self.growth, self.backoff, self.interval, self.good
        return dict(zip(names, values, strict=True)) if self.enabled else {}

    def load_state_dict(self, state):
        if not self.enabled:
            return
        if not state:
            raise RuntimeError("an empty state")
        self.value, self.growth = state["scale"], state["growth_factor"]
        self.backoff, self.interval = state["backoff_factor"], state["growth_interval"]
        self.good = state["_growth_tracker"]
