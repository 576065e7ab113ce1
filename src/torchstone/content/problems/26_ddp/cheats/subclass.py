# verdict: FORBIDDEN_OP
# en: A subclass of torch's own wrapper.
# zh: 继承 torch 自己的包装。
from torch.nn.parallel import DistributedDataParallel


class MiniDDP(DistributedDataParallel):
    pass
