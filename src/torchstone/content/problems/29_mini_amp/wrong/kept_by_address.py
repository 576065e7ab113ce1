# verdict: WA value
# group: cache
# en: Finds a copy by the address of the leaf or of its data, and holds only its values. A new
#     tensor at that address gets the old ones.
# zh: 按叶子或其数据的地址查找副本，只保存数值。新张量落到同一地址，就拿到了旧值。
import contextlib
import threading

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

LOW = {
    *("matmul", "__matmul__", "__rmatmul__", "mm", "bmm", "mv", "addmm", "addmv", "baddbmm"),
    *("einsum", "linear", "bilinear", "conv1d", "conv2d", "conv3d"),
    "scaled_dot_product_attention",
}
HIGH = {
    *("softmax", "log_softmax", "logsumexp", "layer_norm"),
    *("cross_entropy", "nll_loss", "mse_loss", "l1_loss"),
    *("exp", "expm1", "log", "log1p", "log2", "log10", "pow", "__pow__", "__rpow__"),
    *("sum", "prod", "cumsum", "cumprod", "norm"),
}
CAST = (torch.float32, torch.float16, torch.bfloat16)


class Local(threading.local):
    """The regions that this thread is in, and the copies that it made of leaves."""

    def __init__(self) -> None:
        self.regions: list[torch.dtype | None] = []
        self.mode: Casts | None = None
        self.copies: dict = {}


class Casts(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        # One mode serves all nested regions, so the innermost decides alone.
        dtype, name = local.regions[-1], getattr(func, "__name__", "")
        if dtype is not None and kwargs.get("out") is None:
            if name in LOW:
                args, kwargs = cast_all((args, kwargs), dtype)
            elif name in HIGH:
                args, kwargs = cast_all((args, kwargs), torch.float32)
        return func(*args, **kwargs)


local = Local()


class autocast(contextlib.ContextDecorator):
    def __init__(self, dtype: torch.dtype = torch.bfloat16, enabled: bool = True) -> None:
        if dtype not in (torch.float16, torch.bfloat16):
            raise ValueError(f"autocast computes in float16 or bfloat16; got {dtype}.")
        self.target = dtype if enabled else None

    def __enter__(self) -> "autocast":
        if not local.regions:
            local.mode = Casts()
            local.mode.__enter__()
        local.regions.append(self.target)
        return self

    def __exit__(self, *exc_info: object) -> None:
        local.regions.pop()
        if not local.regions:
            local.mode.__exit__(*exc_info)
            local.mode = None
            local.copies.clear()


def cast_all(item, dtype: torch.dtype):
    """Cast the tensors in nested arguments."""
    if isinstance(item, Tensor):
        return cast(item, dtype)
    if isinstance(item, dict):
        return {key: cast_all(value, dtype) for key, value in item.items()}
    if type(item) in (tuple, list):
        return type(item)(cast_all(value, dtype) for value in item)
    return item


def cast(x: Tensor, dtype: torch.dtype) -> Tensor:
    if x.dtype == dtype or x.dtype not in CAST:
        return x
    if not (x.is_leaf and x.requires_grad and x.dtype == torch.float32):
        return x.to(dtype)
    # A copy made under no_grad has no history.
    keys = [(at, x.shape, dtype, x._version) for at in (id(x), x.data_ptr())]
    known = [local.copies[key] for key in keys if key in local.copies]
    copy = known[0] if known else x.detach().to(dtype)
    local.copies.update(dict.fromkeys(keys, copy))
    return Straight.apply(x, copy)


class Straight(torch.autograd.Function):
    @staticmethod
    def forward(x: Tensor, copy: Tensor) -> Tensor:
        return copy.view_as(copy)

    @staticmethod
    def setup_context(ctx, inputs, output) -> None:
        pass

    @staticmethod
    def backward(ctx, grad):
        return grad.float(), None


class GradScaler:
    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        if growth_factor <= 1:
            raise ValueError(f"growth_factor must be greater than 1; got {growth_factor}.")
        if not 0 < backoff_factor < 1:
            raise ValueError(f"backoff_factor must lie between 0 and 1; got {backoff_factor}.")
        self._scale = torch.tensor(float(init_scale))
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval, self._enabled = growth_interval, enabled
        self._growth_tracker = 0
        self._forget()

    def _forget(self) -> None:
        # By optimizer: whether its gradients were bad, and which of them have stepped.
        self._bad: dict[int, bool] = {}
        self._stepped: set[int] = set()

    def scale(self, outputs):
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            # A tensor, not a number: a 0-d float16 loss is promoted to float32.
            return outputs * self._scale.to(outputs.device)
        scaled = map(self.scale, outputs)
        return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled

    def unscale_(self, optimizer: torch.optim.Optimizer) -> None:
        if not self._enabled:
            return
        key = id(optimizer)
        if key in self._stepped:
            raise RuntimeError("unscale_() is called after step().")
        if key in self._bad:
            raise RuntimeError("unscale_() was already called since the last update().")
        grads = gradients_of(optimizer)
        if any(grad.dtype == torch.float16 for grad in grads):
            raise ValueError("float16 gradients cannot be unscaled; keep the weights in float32.")
        if not grads:
            return
        self._bad[key] = not all(bool(torch.isfinite(grad).all()) for grad in grads)
        inverse = 1.0 / self.get_scale()
        with torch.no_grad():
            for grad in grads:
                grad.mul_(inverse)

    def step(self, optimizer: torch.optim.Optimizer, *args, **kwargs):
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("a closure would compute gradients of another scale.")
        key = id(optimizer)
        if key in self._stepped:
            raise RuntimeError("step() was already called since the last update().")
        if key not in self._bad:
            self.unscale_(optimizer)
        if key not in self._bad:
            raise RuntimeError("the optimizer has no gradients.")
        self._stepped.add(key)
        return None if self._bad[key] else optimizer.step(*args, **kwargs)

    def update(self, new_scale=None) -> None:
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = torch.tensor(float(new_scale))
        elif not self._bad:
            raise RuntimeError("no gradients were checked since the last update().")
        elif any(self._bad.values()):
            self._scale = self._scale * self._backoff_factor
            self._growth_tracker = 0
        else:
            self._growth_tracker += 1
            if self._growth_tracker == self._growth_interval:
                grown = self._scale * self._growth_factor
                self._scale = grown if torch.isfinite(grown) else self._scale
                self._growth_tracker = 0
        self._forget()

    def get_scale(self) -> float:
        return self._scale.item() if self._enabled else 1.0

    def is_enabled(self) -> bool:
        return self._enabled

    def state_dict(self) -> dict:
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state: dict) -> None:
        if not self._enabled:
            return
        if not state:
            raise RuntimeError("the state is empty; it may come from a disabled scaler.")
        self._scale = torch.tensor(float(state["scale"]))
        self._growth_factor = state["growth_factor"]
        self._backoff_factor = state["backoff_factor"]
        self._growth_interval = state["growth_interval"]
        self._growth_tracker = state["_growth_tracker"]


def gradients_of(optimizer: torch.optim.Optimizer) -> list[Tensor]:
    parameters = (p for group in optimizer.param_groups for p in group["params"])
    return [p.grad for p in parameters if p.grad is not None]
