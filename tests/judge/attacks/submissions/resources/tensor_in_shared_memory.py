# outcome: FORBIDDEN_OP | RTE
# tries: share a tensor through /dev/shm
import torch

torch.ones(10).share_memory_()
