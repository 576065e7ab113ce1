# style: all parameters of a group at once, by _foreach operators
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
                params = [param for param in group["params"] if param.grad is not None]
                if any(param.grad.is_sparse for param in params):
                    raise RuntimeError("sparse gradients are not supported")
                if params:
                    self.update(params, [param.grad for param in params], group)
        return loss

    def states(self, params, names):
        """Return the state of every parameter, one step older."""
        found = [self.state.setdefault(id(param), {"step": 0}) for param in params]
        for param, state in zip(params, found, strict=True):
            state["step"] += 1
            for name in names:
                state.setdefault(name, torch.zeros_like(param))
        return found

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
        sizes = [len(group["params"]) for group in self.param_groups]
        if sizes != [len(group["params"]) for group in groups]:
            raise ValueError("the groups of the loaded state differ in number or size")
        params = [param for group in self.param_groups for param in group["params"]]
        numbers = [number for group in groups for number in group["params"]]
        by_number = dict(zip(numbers, params, strict=True))
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

    def update(self, params, grads, group):
        lr, (beta1, beta2), decay = group["lr"], group["betas"], group["weight_decay"]
        names = ["exp_avg", "exp_avg_sq"] + ["max_exp_avg_sq"] * group["amsgrad"]
        states = self.states(params, names)
        if decay and group["decoupled_weight_decay"]:
            torch._foreach_mul_(params, 1 - lr * decay)
        elif decay:
            grads = torch._foreach_add(grads, params, alpha=decay)
        means, squares = ([state[name] for state in states] for name in names[:2])
        torch._foreach_lerp_(means, grads, 1 - beta1)
        torch._foreach_mul_(squares, beta2)
        torch._foreach_addcmul_(squares, grads, grads, value=1 - beta2)
        if group["amsgrad"]:
            most = [state["max_exp_avg_sq"] for state in states]
            torch._foreach_maximum_(most, squares)
            squares = most
        roots = torch._foreach_div(squares, [1 - beta2 ** state["step"] for state in states])
        torch._foreach_sqrt_(roots)
        torch._foreach_add_(roots, group["eps"])
        sizes = [-lr / (1 - beta1 ** state["step"]) for state in states]
        torch._foreach_addcdiv_(params, means, roots, sizes)


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

    def update(self, params, grads, group):
        alpha, momentum = group["alpha"], group["momentum"]
        names = ["square_avg"] + ["momentum_buffer"] * (momentum > 0)
        states = self.states(params, names + ["grad_avg"] * group["centered"])
        if group["weight_decay"]:
            grads = torch._foreach_add(grads, params, alpha=group["weight_decay"])
        squares = [state["square_avg"] for state in states]
        torch._foreach_mul_(squares, alpha)
        torch._foreach_addcmul_(squares, grads, grads, value=1 - alpha)
        if group["centered"]:
            means = [state["grad_avg"] for state in states]
            torch._foreach_lerp_(means, grads, 1 - alpha)
            squares = torch._foreach_addcmul(squares, means, means, value=-1)
            torch._foreach_clamp_min_(squares, 0)
        roots = torch._foreach_sqrt(squares)
        torch._foreach_add_(roots, group["eps"])
        directions = torch._foreach_div(grads, roots)
        if momentum > 0:
            buffers = [state["momentum_buffer"] for state in states]
            torch._foreach_mul_(buffers, momentum)
            torch._foreach_add_(buffers, directions)
            directions = buffers
        torch._foreach_add_(params, directions, alpha=-group["lr"])
