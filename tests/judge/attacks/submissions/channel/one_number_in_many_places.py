# outcome: WA | RTE
# tries: answer a tensor of a hundred million places over one number
# groups: sample small
import sys

import torch

sys.modules["child.driver"].answer = lambda *args: {
    "out": torch.ones(()).expand(1 << 26),
    "grad.0": torch.ones(()).expand(1 << 26),
}
