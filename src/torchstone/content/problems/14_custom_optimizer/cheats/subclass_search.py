# verdict: FORBIDDEN_OP
# en: Finds the finished classes among the subclasses of Optimizer and inherits from them.
# zh: 从 Optimizer 的子类里找出现成的类，再继承它们。
from torch.optim import Optimizer

FOUND = {kind.__name__: kind for kind in Optimizer.__subclasses__()}


class Adam(FOUND["Adam"]):
    pass


class RMSprop(FOUND["RMSprop"]):
    pass
