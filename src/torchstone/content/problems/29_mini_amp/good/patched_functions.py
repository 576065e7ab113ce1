"""Functions of torch are replaced once by wrappers that ask what holds for their thread."""

import functools
import math
import threading

import torch
import torch.nn.functional as F
from torch import Tensor

LOWER = (
    "matmul", "__matmul__", "__rmatmul__", "mm", "bmm", "mv", "addmm", "addmv", "baddbmm", "einsum",
    "linear", "bilinear", "conv1d", "conv2d", "conv3d", "scaled_dot_product_attention",
)  # fmt: skip
FLOAT32 = (
    "softmax", "log_softmax", "logsumexp", "layer_norm", "cross_entropy", "nll_loss", "mse_loss",
    "l1_loss", "exp", "expm1", "log", "log1p", "log2", "log10", "pow", "__pow__", "__rpow__", "sum",
    "prod", "cumsum", "cumprod", "norm",
)  # fmt: skip


class Thread(threading.local):
    regions = ()
    copies = None
    busy = False


thread = Thread()


def wrap(function, lower):
    @functools.wraps(function)
    def call(*args, **kwargs):
        dtype = thread.regions[-1] if thread.regions else None
        if dtype is None or thread.busy or kwargs.get("out") is not None:
            return function(*args, **kwargs)
        dtype = dtype if lower else torch.float32
        # What the function calls inside belongs to it.
        thread.busy = True
        try:
            args = tuple(change(item, dtype) for item in args)
            kwargs = {name: change(item, dtype) for name, item in kwargs.items()}
            return function(*args, **kwargs)
        finally:
            thread.busy = False

    return call


def install():
    for names, lower in ((LOWER, True), (FLOAT32, False)):
        for owner in (torch, F, Tensor):
            for name in names:
                if hasattr(owner, name):
                    setattr(owner, name, wrap(getattr(owner, name), lower))


def change(item, dtype):
    if isinstance(item, (list, tuple)):
        return type(item)(change(each, dtype) for each in item)
    if not isinstance(item, Tensor) or item.dtype == dtype:
        return item
    if item.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        return item
    if not item.is_leaf or not item.requires_grad or item.dtype != torch.float32:
        return item.to(dtype)
    key = (id(item), item._version, dtype, torch.is_grad_enabled())
    if key not in thread.copies:
        thread.copies[key] = (item.to(dtype), item)
    return thread.copies[key][0]


install()


class autocast:
    def __init__(self, dtype=torch.bfloat16, enabled=True):
        if dtype != torch.float16 and dtype != torch.bfloat16:
            raise ValueError("dtype must be float16 or bfloat16")
        self.region = dtype if enabled else None

    def __enter__(self):
        if not thread.regions:
            thread.copies = {}
        thread.regions = (*thread.regions, self.region)
        return self

    def __exit__(self, *error):
        thread.regions = thread.regions[:-1]
        if not thread.regions:
            thread.copies = None
        return False

    def __call__(self, function):
        def decorated(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return decorated


class GradScaler:
    def __init__(
        self,
        init_scale=65536.0,
        growth_factor=2.0,
        backoff_factor=0.5,
        growth_interval=2000,
        enabled=True,
    ):
        if not (growth_factor > 1 and 0 < backoff_factor < 1):
            raise ValueError("factors")
        self._state = {
            "scale": float(init_scale),
            "growth_factor": growth_factor,
            "backoff_factor": backoff_factor,
            "growth_interval": growth_interval,
            "_growth_tracker": 0,
        }
        self._enabled, self._stages = enabled, {}

    def scale(self, outputs):
        if not self._enabled:
            return outputs
        factor = torch.tensor(self._state["scale"], dtype=torch.float32)

        def visit(item):
            if isinstance(item, Tensor):
                return torch.mul(item, factor)
            if type(item) in (list, tuple):
                return type(item)([visit(each) for each in item])
            return (visit(each) for each in item)

        return visit(outputs)

    def unscale_(self, optimizer):
        if not self._enabled:
            return
        if id(optimizer) in self._stages:
            raise RuntimeError("unscale_ comes once, and before step")
        grads = [p.grad for g in optimizer.param_groups for p in g["params"] if p.grad is not None]
        if any(grad.dtype == torch.float16 for grad in grads):
            raise ValueError("unscaling float16 gradients")
        if grads:
            # One number for all: inf and NaN survive a sum of products with zero.
            probe = sum(float((grad * 0).sum()) for grad in grads)
            torch._foreach_mul_(grads, 1 / self._state["scale"])
            self._stages[id(optimizer)] = "bad" if math.isnan(probe) else "good"

    def step(self, optimizer, *args, **kwargs):
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("closure")
        if self._stages.get(id(optimizer), "").startswith("stepped"):
            raise RuntimeError("step comes once")
        if id(optimizer) not in self._stages:
            self.unscale_(optimizer)
        if id(optimizer) not in self._stages:
            raise RuntimeError("no gradients at all")
        stage = self._stages[id(optimizer)]
        self._stages[id(optimizer)] = f"stepped {stage}"
        return optimizer.step(*args, **kwargs) if stage == "good" else None

    def update(self, new_scale=None):
        if not self._enabled:
            return
        state, stages, self._stages = self._state, self._stages, {}
        if new_scale is not None:
            state["scale"] = float(new_scale)
            return
        if not stages:
            raise RuntimeError("no checks")
        if any(stage.endswith("bad") for stage in stages.values()):
            state["scale"], state["_growth_tracker"] = state["scale"] * state["backoff_factor"], 0
            return
        state["_growth_tracker"] += 1
        if state["_growth_tracker"] % state["growth_interval"] == 0:
            state["_growth_tracker"] = 0
            grown = state["scale"] * state["growth_factor"]
            if grown <= torch.finfo(torch.float32).max:
                state["scale"] = grown

    def get_scale(self):
        return self._state["scale"] if self._enabled else 1.0

    def is_enabled(self):
        return self._enabled

    def state_dict(self):
        return dict(self._state) if self._enabled else {}

    def load_state_dict(self, state):
        if self._enabled and not state:
            raise RuntimeError("nothing to load")
        if self._enabled:
            self._state.update(state)
