# verdict: FORBIDDEN_OP
# en: PyTorch's own checker.
# zh: 直接调用 PyTorch 自带的检查器。
import torch


class GradcheckError(RuntimeError):
    pass


def gradcheck(fn, inputs, **options):
    quiet = not options.pop("raise_exception", True)
    try:
        return torch.autograd.gradcheck(fn, inputs, **options)
    except torch.autograd.gradcheck.GradcheckError:
        if quiet:
            return False
        raise GradcheckError from None
