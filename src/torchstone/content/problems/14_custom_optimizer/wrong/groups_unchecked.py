# verdict: WA property | RTE
# group: errors
# en: A state whose groups have other sizes belongs to another model; loading it is an error.
# zh: 参数组的个数或大小对不上的状态属于别的模型，加载时要报错。
import copy

import torch
from torch import Tensor


class Base:
    """Groups, state and checkpoints; a subclass adds what happens to one parameter."""

    def __init__(self, params, defaults):
        self.defaults = defaults
        self.param_groups = []
        self.state = {}
        groups = list(params)
        if not groups:
            raise ValueError("there are no parameters to optimise")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, group):
        params = group["params"]
        params = [params] if isinstance(params, Tensor) else list(params)
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(f"a parameter must be a tensor, not {type(param).__name__}")
        known = [param for each in self.param_groups for param in each["params"]]
        # By identity: `==` of tensors compares their elements.
        if len({id(param) for param in known + params}) < len(known) + len(params):
            raise ValueError("a parameter appears twice")
        self.param_groups.append(self.defaults | group | {"params": params})

    def zero_grad(self, set_to_none=True):
        for group in self.param_groups:
            for param in group["params"]:
                if set_to_none:
                    param.grad = None
                elif param.grad is not None:
                    param.grad.detach_().zero_()

    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        with torch.no_grad():
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        if param.grad.is_sparse:
                            raise RuntimeError("sparse gradients are not supported")
                        self.update(param, param.grad, group)
        return loss

    def state_dict(self):
        numbers, groups = {}, []
        for group in self.param_groups:
            first = len(numbers)
            numbers |= {id(p): first + i for i, p in enumerate(group["params"])}
            groups.append(group | {"params": [numbers[id(p)] for p in group["params"]]})
        return {
            "state": {numbers[key]: entry for key, entry in self.state.items()},
            "param_groups": groups,
        }

    def load_state_dict(self, state_dict):
        groups = state_dict["param_groups"]
        if len(groups) != len(self.param_groups):
            raise ValueError("the groups of the loaded state differ in number")
        params = [param for group in self.param_groups for param in group["params"]]
        numbers = [number for group in groups for number in group["params"]]
        by_number = dict(zip(numbers, params, strict=False))
        entries = copy.deepcopy(state_dict["state"])
        self.state = {id(by_number[number]): entry for number, entry in entries.items()}
        self.param_groups = [
            copy.deepcopy(new) | {"params": old["params"]}
            for old, new in zip(self.param_groups, groups, strict=True)
        ]


def check(**values):
    for name, value in values.items():
        if value < 0:
            raise ValueError(f"{name} must not be negative; got {value}")


class Adam(Base):
    """Divide the mean of the gradients by the root of the mean of their squares."""

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0.0,
        amsgrad=False,
        decoupled_weight_decay=False,
    ):
        check(lr=lr, eps=eps, weight_decay=weight_decay)
        for beta in betas:
            if not 0 <= beta < 1:
                raise ValueError(f"a beta must lie in [0, 1); got {beta}")
        defaults = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        defaults |= {"amsgrad": amsgrad, "decoupled_weight_decay": decoupled_weight_decay}
        super().__init__(params, defaults)

    def update(self, param, grad, group):
        lr, (beta1, beta2), decay = group["lr"], group["betas"], group["weight_decay"]
        state = self.state.setdefault(id(param), {})
        if not state:
            names = ["exp_avg", "exp_avg_sq"] + ["max_exp_avg_sq"] * group["amsgrad"]
            state |= {"step": 0} | {name: torch.zeros_like(param) for name in names}
        # A count for each parameter: one without a gradient does not age.
        state["step"] += 1
        if group["decoupled_weight_decay"]:
            param.mul_(1 - lr * decay)
        else:
            # A new tensor: the gradient belongs to the caller.
            grad = grad.add(param, alpha=decay)
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.mul_(beta1).add_(grad, alpha=1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        if group["amsgrad"]:
            square = torch.maximum(state["max_exp_avg_sq"], square, out=state["max_exp_avg_sq"])
        # Python's floats are doubles; in float32 1 - 0.999 would keep four digits.
        correction1, correction2 = 1 - beta1 ** state["step"], 1 - beta2 ** state["step"]
        root = (square / correction2).sqrt_().add_(group["eps"])
        param.addcdiv_(mean, root, value=-lr / correction1)


class RMSprop(Base):
    """Divide the gradient by the root of the mean of its squares."""

    def __init__(
        self,
        params,
        lr=1e-2,
        alpha=0.99,
        eps=1e-8,
        weight_decay=0.0,
        momentum=0.0,
        centered=False,
    ):
        check(lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum)
        defaults = {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay}
        defaults |= {"momentum": momentum, "centered": centered}
        super().__init__(params, defaults)

    def update(self, param, grad, group):
        alpha, momentum = group["alpha"], group["momentum"]
        state = self.state.setdefault(id(param), {})
        if not state:
            names = ["square_avg"] + ["momentum_buffer"] * (momentum > 0)
            names += ["grad_avg"] * group["centered"]
            state |= {"step": 0} | {name: torch.zeros_like(param) for name in names}
        state["step"] += 1
        grad = grad.add(param, alpha=group["weight_decay"])
        square = state["square_avg"]
        square.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if group["centered"]:
            mean = state["grad_avg"].mul_(alpha).add_(grad, alpha=1 - alpha)
            # Rounding can put the difference below 0, and its root would be NaN.
            square = square.addcmul(mean, mean, value=-1).clamp_(min=0)
        direction = grad / square.sqrt().add_(group["eps"])
        if momentum > 0:
            # The buffer holds no learning rate, so a scheduler acts at once.
            direction = state["momentum_buffer"].mul_(momentum).add_(direction)
        param.add_(direction, alpha=-group["lr"])
