# verdict: FORBIDDEN_OP
# en: Hands out PyTorch's own autocast and scaler.
# zh: 直接转交 PyTorch 自带的 autocast 与 GradScaler。
import torch


def autocast(dtype=torch.bfloat16, enabled=True):
    if dtype not in (torch.float16, torch.bfloat16):
        raise ValueError("half types only")
    return torch.autocast("cpu", dtype=dtype, enabled=enabled)


class GradScaler(torch.amp.GradScaler):
    def __init__(self, **options):
        super().__init__("cpu", **options)
