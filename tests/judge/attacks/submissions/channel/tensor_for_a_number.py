# outcome: WA | RTE
# tries: answer a tensor of three where a number or a text is expected
# groups: sample small
import sys

import torch

sys.modules["child.driver"].answer = lambda *args: {
    "out": {"type": torch.zeros(3), "key": torch.zeros(3)},
    "out.len": torch.zeros(3),
    "grad.0": [torch.zeros(3)],
}
