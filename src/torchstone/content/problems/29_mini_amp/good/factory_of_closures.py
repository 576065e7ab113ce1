"""A function that makes regions; a cache of weak keys; gradients are read once as one vector."""

import collections
import contextlib
import threading

import torch
from torch.overrides import TorchFunctionMode

LOWER = frozenset(
    "matmul __matmul__ __rmatmul__ mm bmm mv addmm addmv baddbmm einsum linear bilinear"
    " conv1d conv2d conv3d scaled_dot_product_attention".split()
)
FLOAT32 = frozenset(
    "softmax log_softmax logsumexp layer_norm cross_entropy nll_loss mse_loss l1_loss exp expm1 log"
    " log1p log2 log10 pow __pow__ __rpow__ sum prod cumsum cumprod norm".split()
)
FLOATS = {torch.float32, torch.float16, torch.bfloat16}
data = threading.local()


class Casting(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        region, name = data.regions[0], func.__name__ if hasattr(func, "__name__") else ""
        to = region if name in LOWER else torch.float32 if name in FLOAT32 else None
        if region is None or to is None or kwargs.get("out") is not None:
            return func(*args, **kwargs)
        leaves, tree = torch.utils._pytree.tree_flatten((args, kwargs))
        leaves = [cast(leaf, to) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        args, kwargs = torch.utils._pytree.tree_unflatten(leaves, tree)
        return func(*args, **kwargs)


def cast(x, to):
    if x.dtype not in FLOATS:
        return x
    if not (x.requires_grad and x.is_leaf and x.dtype is torch.float32 and to is not x.dtype):
        return x.type(to)
    slot = data.copies.setdefault(id(x), {"leaf": x})
    key = to, torch.is_grad_enabled()
    if slot.get("version") != x._version:
        slot.clear()
        slot.update(leaf=x, version=x._version)
    if key not in slot:
        slot[key] = x.type(to)
    return slot[key]


def autocast(dtype=torch.bfloat16, enabled=True):
    if dtype not in FLOATS - {torch.float32}:
        raise ValueError("a half type is needed")

    class Region(contextlib.ContextDecorator):
        def __enter__(self):
            if not getattr(data, "regions", None):
                data.regions, data.copies, data.exits = collections.deque(), {}, []
            data.regions.appendleft(dtype if enabled else None)
            exits = contextlib.ExitStack()
            if len(data.regions) == 1:
                exits.enter_context(Casting())
            data.exits.append(exits)

        def __exit__(self, *error):
            data.regions.popleft()
            data.exits.pop().close()
            if not data.regions:
                data.copies = {}

    return Region()


class GradScaler:
    def __init__(
        self,
        init_scale=2.0**16,
        growth_factor=2.0,
        backoff_factor=0.5,
        growth_interval=2000,
        enabled=True,
    ):
        if growth_factor <= 1.0:
            raise ValueError("growth_factor")
        if not 0.0 < backoff_factor < 1.0:
            raise ValueError("backoff_factor")
        self.s = torch.tensor(init_scale, dtype=torch.float32)
        self.options = [growth_factor, backoff_factor, growth_interval]
        self.tracker, self.on = 0, enabled
        self.checks = collections.defaultdict(list)

    def scale(self, outputs):
        if not self.on:
            return outputs
        if torch.is_tensor(outputs):
            return self.s * outputs
        if isinstance(outputs, list):
            return [self.scale(item) for item in outputs]
        if isinstance(outputs, tuple):
            return tuple(self.scale(item) for item in outputs)
        return [self.scale(item) for item in outputs]

    def grads(self, optimizer):
        for group in optimizer.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    yield p.grad

    @torch.no_grad()
    def unscale_(self, optimizer):
        if not self.on:
            return
        log = self.checks[optimizer]
        if log:
            raise RuntimeError(f"unscale_ after {log}")
        grads = list(self.grads(optimizer))
        for grad in grads:
            if grad.dtype == torch.half:
                raise ValueError("half gradients")
        if not grads:
            return
        flat = torch.cat([grad.flatten().double() for grad in grads])
        log.append(bool(torch.isinf(flat).any() | torch.isnan(flat).any()))
        for grad in grads:
            grad.copy_(grad / self.s)

    def step(self, optimizer, *args, **kwargs):
        if not self.on:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("closure")
        log = self.checks[optimizer]
        if "step" in log:
            raise RuntimeError("twice")
        if not log:
            self.unscale_(optimizer)
        if not log:
            raise AssertionError("no gradients were found")
        bad = log[0]
        log.append("step")
        if bad:
            return None
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale=None):
        if not self.on:
            return
        logs = [log[0] for log in self.checks.values() if log]
        self.checks.clear()
        if new_scale is not None:
            with torch.no_grad():
                self.s.fill_(float(new_scale))
            return
        if not logs:
            raise AssertionError("update without a check")
        growth, backoff, interval = self.options
        if True in logs:
            self.s.mul_(backoff)
            self.tracker = 0
        elif self.tracker + 1 < interval:
            self.tracker += 1
        else:
            self.tracker = 0
            if not torch.isinf(self.s * growth):
                self.s.mul_(growth)

    def get_scale(self):
        return float(self.s) if self.on else 1.0

    def is_enabled(self):
        return self.on

    def state_dict(self):
        if not self.on:
            return {}
        growth, backoff, interval = self.options
        return dict(
            scale=float(self.s),
            growth_factor=growth,
            backoff_factor=backoff,
            growth_interval=interval,
            _growth_tracker=self.tracker,
        )

    def load_state_dict(self, state):
        if not self.on:
            return
        if len(state) == 0:
            raise RuntimeError("empty")
        self.s = torch.tensor(state["scale"], dtype=torch.float32)
        names = "growth_factor", "backoff_factor", "growth_interval"
        self.options = [state[name] for name in names]
        self.tracker = state["_growth_tracker"]
