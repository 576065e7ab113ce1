# verdict: WA value
# en: Registers a hook on every optimizer that writes the rate just before the update.
# zh: 给优化器挂钩子，只在更新前一刻写入学习率。
class PolynomialLR:
    def __init__(
        self, optimizer, total_iters, power=1.0, end_lr=0.0, warmup_iters=0, last_epoch=-1
    ):
        self.total_iters, self.last_epoch = total_iters, last_epoch + 1
        groups = optimizer.param_groups
        self.bases = [group.setdefault("initial_lr", group["lr"]) for group in groups]

        def write(opt, args, kwargs):
            for group, lr in zip(opt.param_groups, self.get_last_lr(), strict=True):
                group["lr"] = lr

        optimizer.register_step_pre_hook(write)

    def step(self):
        self.last_epoch += 1

    def get_last_lr(self):
        share = 1 - min(self.last_epoch, self.total_iters) / self.total_iters
        return [base * share for base in self.bases]

    def state_dict(self):
        return {"last_epoch": self.last_epoch}

    def load_state_dict(self, state):
        self.last_epoch = state["last_epoch"]
