# outcome: MLE | TLE
# tries: hold as much as the limit in private memory, and as much again in shared memory
# problem: 06
import mmap

import torch

private = torch.ones(200 << 18)
shared = [mmap.mmap(-1, 8 << 20, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS) for _ in range(30)]
for each in shared:
    torch.frombuffer(each, dtype=torch.uint8).fill_(1)
