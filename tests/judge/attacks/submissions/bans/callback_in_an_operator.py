# outcome: FORBIDDEN_OP
# problem: 03
# groups: sample
# tries: expand in the callback of a weak reference that runs inside an allowed operator
import functools
import weakref

import torch


class Owner(bytearray):
    pass


owner = Owner(8)
expand = functools.partial(torch.Tensor.expand, torch.ones(1), 3)
reference = weakref.ref(owner, lambda _: expand())
tensor = torch.frombuffer(owner, dtype=torch.float32)
del owner
tensor.set_(torch.empty(1).untyped_storage())
