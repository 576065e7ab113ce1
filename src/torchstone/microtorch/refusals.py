"""Error messages of tensors and the autograd graph, in PyTorch's words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torchstone.microtorch.autograd.node import Node
    from torchstone.microtorch.tensor import Tensor

INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
    "inference mode in computation tracked by autograd. To work around this, you can "
    "make a clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead "
    "of `torch.inference_mode()`."
)


def freed() -> RuntimeError:
    """Create the error for a graph whose saved tensors have been freed."""
    return RuntimeError(
        "Trying to backward through the graph a second time (or directly access saved tensors "
        "after they have already been freed). Saved intermediate values of the graph are freed "
        "when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to "
        "backward through the graph a second time or if you need to access saved tensors after "
        "calling backward."
    )


def operation_of(node: Node) -> str:
    """Return the name of a node's operation, as in error messages."""
    return re.sub("Backward0?$", "", re.sub("^Copy", "torch::autograd::Copy", node.name()))


def changed(tensor: Tensor, version: int, made_by: Node | None) -> RuntimeError:
    """Create the error for a saved tensor that was modified in place."""
    origin = ""
    if made_by is not None:
        origin = f", which is output {tensor.output_nr} of {operation_of(made_by)},"
    return RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [{tensor.type()} {list(tensor.shape)}]{origin} is at version "
        f"{tensor._version}; expected version {version} instead. Hint: enable anomaly detection to "
        "find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )


def check_wish(tensor: Tensor, wanted: Any, in_inference: bool) -> None:
    """Raise an error if ``requires_grad`` cannot be set."""
    if not isinstance(wanted, bool):
        raise RuntimeError("requires_grad must be a bool")
    if not wanted and tensor.grad_fn is not None:
        raise RuntimeError(
            "you can only change requires_grad flags of leaf variables. If you want to use a "
            "computed variable in a subgraph that doesn't require differentiation use "
            "var_no_grad = var.detach()."
        )
    if wanted and tensor.array.dtype.kind not in "fc":
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    if wanted and tensor._inference and not in_inference:
        raise RuntimeError(
            "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
        )


def check_gradient(tensor: Tensor, grad: Any) -> None:
    """Raise an error for a value that cannot be the ``grad`` of a tensor."""
    if not hasattr(grad, "array"):
        raise TypeError(
            "assigned grad expected to be a Tensor or None but got grad of "
            f"type {type(grad).__name__}"
        )
    if grad is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    if grad.array.shape != tensor.array.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(grad.shape)}' to a tensor of size "
            f"'{list(tensor.shape)}'. Please ensure that the gradient and the tensor are the same "
            "size"
        )
    if grad.array.dtype != tensor.array.dtype:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{grad.dtype.c_name}' to a tensor with "
            f"grad_dtype '{tensor.dtype.title}'. The gradient must match the tensor's grad_dtype "
            "(defaults to the tensor's dtype)."
        )


def check_data(tensor: Tensor, data: Any) -> None:
    """Raise an error for a value that cannot be the ``data`` of a tensor."""
    if not hasattr(data, "array"):
        raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
    if tensor._requires_grad and data.array.dtype.kind not in "fc":
        raise RuntimeError(
            "data set to a tensor that requires gradients must be floating point or complex dtype"
        )


def refuse_result(result: Any) -> None:
    """Raise an error for a post-accumulate-grad hook that returns a value."""
    if result is None:
        return
    if hasattr(result, "grad_fn"):
        raise RuntimeError("Tensor post accumulate grad hooks should return None.")
    raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
