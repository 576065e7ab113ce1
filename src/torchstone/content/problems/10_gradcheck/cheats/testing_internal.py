# verdict: FORBIDDEN_OP
# en: The copy that PyTorch's own tests use.
# zh: PyTorch 自家测试所用的版本。
class GradcheckError(RuntimeError):
    pass


def gradcheck(fn, inputs, **options):
    from torch.testing._internal.common_utils import gradcheck as check

    return check(fn, inputs, **options)
