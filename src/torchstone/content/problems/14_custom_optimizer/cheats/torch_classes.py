# verdict: FORBIDDEN_OP
# en: Gives torch's own classes under these names.
# zh: 把 torch 自己的类换个名字交上来。
from torch.optim import Adam, RMSprop

__all__ = ["Adam", "RMSprop"]
