# verdict: FORBIDDEN_OP
# en: Inherits the closed form of PyTorch's class and only changes the arguments.
# zh: 继承 PyTorch 的类，只改参数，用它的闭式公式。
import torch


class PolynomialLR(torch.optim.lr_scheduler.PolynomialLR):
    def __init__(
        self, optimizer, total_iters, power=1.0, end_lr=0.0, warmup_iters=0, last_epoch=-1
    ):
        self.total_iters, self.power = total_iters - warmup_iters, power
        self.end_lr, self.warmup_iters = end_lr, warmup_iters
        torch.optim.lr_scheduler.LRScheduler.__init__(self, optimizer, last_epoch)

    def get_lr(self):
        t, w = self.last_epoch, self.warmup_iters
        if t < w:
            return [base * (t + 1) / (w + 1) for base in self.base_lrs]
        bases = self.base_lrs
        self.base_lrs, self.last_epoch = [base - self.end_lr for base in bases], t - w
        rates = [self.end_lr + rate for rate in self._get_closed_form_lr()]
        self.base_lrs, self.last_epoch = bases, t
        return rates
