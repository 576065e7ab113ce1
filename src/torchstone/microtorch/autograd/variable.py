"""``torch.autograd.Variable``, the deprecated name of a tensor."""

from __future__ import annotations

from torchstone.microtorch.tensor import Tensor


class _AnyTensor(type):
    """Metaclass that makes every tensor an instance of ``Variable``."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)

    def __call__(cls, data: Tensor, requires_grad: bool = False, volatile: bool = False) -> Tensor:
        return data.detach().requires_grad_(requires_grad)


class Variable(metaclass=_AnyTensor):
    """Deprecated tensor constructor: ``Variable(x, requires_grad=True)``."""
