# verdict: WA value
# group: small
# en: Knows the plain line from b to 0 of the samples, and nothing else.
# zh: 只会样例里从 b 到 0 的直线，别的都不会。
class PolynomialLR:
    def __init__(
        self, optimizer, total_iters, power=1.0, end_lr=0.0, warmup_iters=0, last_epoch=-1
    ):
        self.optimizer, self.total_iters, self.last_epoch = optimizer, total_iters, last_epoch
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.step()

    def step(self):
        self.last_epoch += 1
        for group in self.optimizer.param_groups:
            group["lr"] = group["initial_lr"] * (1 - self.last_epoch / self.total_iters)

    def get_last_lr(self):
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self):
        return {"last_epoch": self.last_epoch}

    def load_state_dict(self, state):
        self.last_epoch = state["last_epoch"]
