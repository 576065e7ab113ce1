# verdict: FORBIDDEN_OP
# en: The private halves of PyTorch's checker.
# zh: PyTorch 检查器内部的私有函数。
import sys

import torch


class GradcheckError(RuntimeError):
    pass


def gradcheck(fn, inputs, **options):
    pieces = sys.modules["torch.autograd.gradcheck"]
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    numerical = pieces._get_numerical_jacobian(fn, inputs)
    return bool(torch.isfinite(numerical[0][0]).all())
