# outcome: FORBIDDEN_OP
# problem: 03
# groups: sample
# tries: expand in a finaliser that runs inside an allowed operator
import torch


class Owner(bytearray):
    def __del__(self):
        torch.ones(1).expand(3)


tensor = torch.frombuffer(Owner(8), dtype=torch.float32)
tensor.set_(torch.empty(1).untyped_storage())
