# verdict: WA property
# group: late
# zh: 同步通信要等最慢的 rank。
# en: A synchronous call waits for the slowest rank.
import torch.distributed as dist


def start(tensor):
    dist.all_reduce(tensor)
    return lambda: tensor / dist.get_world_size()
