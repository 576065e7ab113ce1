# verdict: FORBIDDEN_OP
# en: Hands the formula to LambdaLR, which does everything else.
# zh: 把公式交给 LambdaLR，其余全由它完成。
from torch.optim.lr_scheduler import LambdaLR


class PolynomialLR(LambdaLR):
    def __init__(
        self, optimizer, total_iters, power=1.0, end_lr=0.0, warmup_iters=0, last_epoch=-1
    ):
        def factor(t):
            if t < warmup_iters:
                return (t + 1) / (warmup_iters + 1)
            gone = (min(t, total_iters) - warmup_iters) / (total_iters - warmup_iters)
            return (1 - gone) ** power

        super().__init__(optimizer, factor, last_epoch)
