# verdict: FORBIDDEN_OP
# en: Chains PyTorch's linear warm-up and its other schedulers.
# zh: 把 PyTorch 的线性预热与其他调度器串起来。
from torch.optim.lr_scheduler import LinearLR, SequentialLR


class PolynomialLR:
    def __init__(
        self, optimizer, total_iters, power=1.0, end_lr=0.0, warmup_iters=0, last_epoch=-1
    ):
        up = LinearLR(optimizer, 1 / (warmup_iters + 1), 1.0, warmup_iters)
        down = LinearLR(optimizer, 1.0, 1e-9, total_iters - warmup_iters)
        self.inner = SequentialLR(optimizer, [up, down], [warmup_iters])

    def step(self):
        self.inner.step()

    def get_last_lr(self):
        return self.inner.get_last_lr()

    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass
