# outcome: FORBIDDEN_OP | RTE
# tries: load machine code through torch
import torch

torch.ops.load_library("/judge/native.so")
