# style: groups, state and checkpoints inherited from torch.optim.Optimizer
import torch
from torch.optim import Optimizer


class Own(Optimizer):
    def add_param_group(self, group):
        params = group["params"]
        params = [params] if isinstance(params, torch.Tensor) else list(params)
        # PyTorch only warns of a parameter that one group holds twice.
        if len(set(params)) < len(params):
            raise ValueError("a group holds a parameter twice")
        super().add_param_group({**group, "params": params})

    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        with torch.no_grad():
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is None:
                        continue
                    if param.grad.layout != torch.strided:
                        raise RuntimeError("dense gradients only")
                    state = self.state[param]
                    state["step"] = state.get("step", 0) + 1
                    param -= self.change(param, param.grad, state, group)
        return loss


def average(state, name, value, decay):
    state[name] = decay * state.get(name, torch.zeros_like(value)) + (1 - decay) * value
    return state[name]


class Adam(Own):
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
        if min(lr, eps, weight_decay) < 0 or min(betas) < 0 or max(betas) >= 1:
            raise ValueError("a hyper-parameter is out of range")
        defaults = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        defaults.update(amsgrad=amsgrad, decoupled_weight_decay=decoupled_weight_decay)
        super().__init__(params, defaults)

    def change(self, p, g, state, group):
        beta1, beta2 = group["betas"]
        decay, lr = group["weight_decay"], group["lr"]
        shrink = torch.zeros_like(p)
        if decay and group["decoupled_weight_decay"]:
            shrink = lr * decay * p
        elif decay:
            g = g + decay * p
        m = average(state, "exp_avg", g, beta1)
        v = average(state, "exp_avg_sq", g.square(), beta2)
        if group["amsgrad"]:
            v = state["max_exp_avg_sq"] = v.maximum(state.get("max_exp_avg_sq", v))
        m = m / (1 - beta1 ** state["step"])
        v = v / (1 - beta2 ** state["step"])
        return shrink + lr * m / (v.sqrt() + group["eps"])


class RMSprop(Own):
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
        if min(lr, alpha, eps, weight_decay, momentum) < 0:
            raise ValueError("a hyper-parameter is negative")
        defaults = dict(lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay)
        super().__init__(params, defaults | dict(momentum=momentum, centered=centered))

    def change(self, p, g, state, group):
        g = g + group["weight_decay"] * p
        v = average(state, "square_avg", g * g, group["alpha"])
        if group["centered"]:
            v = (v - average(state, "grad_avg", g, group["alpha"]) ** 2).clamp(min=0)
        d = g / (v.sqrt() + group["eps"])
        if group["momentum"] > 0:
            old = state.get("momentum_buffer", torch.zeros_like(d))
            d = state["momentum_buffer"] = group["momentum"] * old + d
        return group["lr"] * d
