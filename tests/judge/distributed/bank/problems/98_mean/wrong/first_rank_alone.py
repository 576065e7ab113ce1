# verdict: HUNG
# group: small
# zh: 集合通信要所有 rank 都发起。
# en: Every rank must make a collective call.
import torch.distributed as dist


def start(tensor):
    if dist.get_rank() == 0:
        dist.all_reduce(tensor)
    return lambda: tensor / dist.get_world_size()
