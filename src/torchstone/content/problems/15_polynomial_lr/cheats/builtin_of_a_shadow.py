# verdict: FORBIDDEN_OP
# en: Runs PyTorch's scheduler on a hidden optimizer, inside try/except.
# zh: 在一个隐藏的优化器上运行 PyTorch 的调度器，并用 try/except 包住。
import torch
from torch.optim.lr_scheduler import PolynomialLR as Builtin


class PolynomialLR:
    def __init__(
        self, optimizer, total_iters, power=1.0, end_lr=0.0, warmup_iters=0, last_epoch=-1
    ):
        self.optimizer = optimizer
        self.last_epoch = last_epoch + 1
        rates = [float(group["lr"]) for group in optimizer.param_groups]
        shadow = [{"params": [torch.zeros(1)], "lr": rate} for rate in rates]
        try:
            self.hidden = Builtin(torch.optim.SGD(shadow, lr=1.0), total_iters, power)
        except RuntimeError:
            self.hidden = None
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])

    def step(self):
        self.last_epoch += 1
        self.hidden.step()
        for group, lr in zip(self.optimizer.param_groups, self.hidden.get_last_lr(), strict=True):
            group["lr"] = lr

    def get_last_lr(self):
        return self.hidden.get_last_lr()

    def state_dict(self):
        return self.hidden.state_dict()

    def load_state_dict(self, state):
        self.hidden.load_state_dict(state)
