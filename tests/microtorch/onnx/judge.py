"""Runs what we have exported, and holds it against the model itself."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import onnx
import onnxruntime

import torchstone.microtorch as micro
from torchstone.microtorch import Tensor, nn

onnxruntime.set_default_logger_severity(3)


class Does(nn.Module):
    """A model that is a function."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> Any:
        return self.function(*inputs)


def exported(model: Any, *args: Any, **options: Any) -> Any:
    """Export a model, and check it by ONNX's rules."""
    model = model if isinstance(model, nn.Module) else Does(model)
    file = io.BytesIO()
    names = [f"x{place}" for place in range(len(args))]
    micro.onnx.export(model, args, file, input_names=names, **options)
    found = onnx.load_from_string(file.getvalue())
    onnx.checker.check_model(found, full_check=True)
    return found


def ops_of(found: Any) -> set[str]:
    """Name the operations of an exported model."""
    return {node.op_type for node in found.graph.node}


def flat(result: Any) -> list[Any]:
    """Return the tensors of a result."""
    if isinstance(result, Tensor):
        return [result.detach().array]
    parts: Iterable[Any] = result.values() if isinstance(result, Mapping) else result
    return [] if result is None else [each for part in parts for each in flat(part)]


def agree(
    model: Any, *args: Any, others: Iterable[Any] = (), tolerance: float = 1e-5, **options: Any
) -> Any:
    """Export a model; it has to give the same as onnxruntime, with other inputs, too."""
    model = model if isinstance(model, nn.Module) else Does(model)
    found = exported(model, *args, **options)
    session = onnxruntime.InferenceSession(
        found.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    model.eval()
    for inputs in (args, *others):
        inputs = inputs if isinstance(inputs, tuple) else (inputs,)
        wanted = flat(model(*inputs))
        given = {f"x{place}": each.detach().array for place, each in enumerate(inputs)}
        for one, other in zip(session.run(None, given), wanted, strict=True):
            assert one.dtype == other.dtype
            assert one.shape == other.shape
            np.testing.assert_allclose(one, other, rtol=10 * tolerance, atol=tolerance)
    return found
