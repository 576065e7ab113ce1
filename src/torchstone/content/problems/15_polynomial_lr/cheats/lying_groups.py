# verdict: WA property
# en: Puts dicts into the optimizer that tell readers another rate than is stored.
# zh: 把会对读者撒谎的字典塞进优化器：读到的学习率不是存着的那个。
class Liar(dict):
    def __getitem__(self, key):
        value = super().__getitem__(key)
        return float(value) if key == "lr" else value


class PolynomialLR:
    def __init__(
        self, optimizer, total_iters, power=1.0, end_lr=0.0, warmup_iters=0, last_epoch=-1
    ):
        self.optimizer, self.total_iters, self.last_epoch = optimizer, total_iters, last_epoch + 1
        for index, group in enumerate(optimizer.param_groups):
            group.setdefault("initial_lr", group["lr"])
            optimizer.param_groups[index] = Liar(group)

    def step(self):
        self.last_epoch += 1

    def get_last_lr(self):
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass
