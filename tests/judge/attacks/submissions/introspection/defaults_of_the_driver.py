# outcome: FORBIDDEN_OP | WA | RTE
# tries: change what trusted code takes for granted
import sys

import torch

bans = sys.modules["child.bans.bans"]
bans.while_lifted.__globals__["_state"] = None


def softmax(x, dim=-1, dtype=None):
    return torch.softmax(x, dim, dtype)
