# verdict: WA value
# en: Replaces the optimizer's step: the weights go the right way, the groups keep the old rate.
# zh: 换掉优化器的 step：权重走得对，参数组里的学习率却没变。
class PolynomialLR:
    def __init__(
        self, optimizer, total_iters, power=1.0, end_lr=0.0, warmup_iters=0, last_epoch=-1
    ):
        self.optimizer, self.total_iters, self.last_epoch = optimizer, total_iters, last_epoch + 1
        groups = optimizer.param_groups
        self.bases = [group.setdefault("initial_lr", group["lr"]) for group in groups]
        original = optimizer.step

        def step(*args, **kwargs):
            for group, lr in zip(optimizer.param_groups, self.get_last_lr(), strict=True):
                group["lr"] = lr
            original(*args, **kwargs)
            for group, base in zip(optimizer.param_groups, self.bases, strict=True):
                group["lr"] = base

        optimizer.step = step

    def step(self):
        self.last_epoch += 1

    def get_last_lr(self):
        share = 1 - min(self.last_epoch, self.total_iters) / self.total_iters
        return [base * share for base in self.bases]

    def state_dict(self):
        return {"last_epoch": self.last_epoch}

    def load_state_dict(self, state):
        self.last_epoch = state["last_epoch"]
