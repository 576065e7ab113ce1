# outcome: WA | RTE
# tries: answer tensors that nothing can compare or print
# groups: sample small
import sys

import torch

quantized = torch.quantize_per_tensor(torch.zeros(2), 0.1, 0, torch.quint8)
bits = torch.zeros(2, dtype=torch.uint8).view(torch.bits8)
sys.modules["child.driver"].answer = lambda *args: {
    "out": [quantized, {"a": (quantized, bits)}],
    "grad.0": bits,
}
