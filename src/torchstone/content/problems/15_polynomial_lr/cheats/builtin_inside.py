# verdict: FORBIDDEN_OP
# en: Asks PyTorch's own scheduler for the rates.
# zh: 直接向 PyTorch 自带的调度器要学习率。
from torch.optim import lr_scheduler


class PolynomialLR:
    def __init__(
        self, optimizer, total_iters, power=1.0, end_lr=0.0, warmup_iters=0, last_epoch=-1
    ):
        self.inner = lr_scheduler.PolynomialLR(optimizer, total_iters, power, last_epoch)

    @property
    def last_epoch(self):
        return self.inner.last_epoch

    def step(self):
        self.inner.step()

    def get_last_lr(self):
        return self.inner.get_last_lr()

    def state_dict(self):
        return self.inner.state_dict()

    def load_state_dict(self, state):
        self.inner.load_state_dict(state)
