"""Fidelity: whether a program computes with an extractor what it computes without, bit for bit."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import torch

Digests = dict[str, str]


def digest(space: dict[str, Any]) -> Digests:
    """Return a hash of each tensor of a namespace, of its gradient, and of modules' parameters."""
    return {name: hash_tensor(tensor) for name, tensor in _tensors(space)}


def compare(plain: Digests, traced: Digests) -> dict[str, int]:
    """Count what was compared, and how much of it is equal."""
    names = plain.keys() | traced.keys()
    equal = sum(1 for name in names if plain.get(name) == traced.get(name))
    return {"compared": len(names), "equal": equal}


def _tensors(space: dict[str, Any]) -> Iterator[tuple[str, torch.Tensor]]:
    for name, value in list(space.items()):
        if name.startswith("__"):
            continue
        if isinstance(value, torch.Tensor):
            yield from _with_gradient(name, value)
        elif isinstance(value, torch.nn.Module):
            for inner, each in [*value.named_parameters(), *value.named_buffers()]:
                yield from _with_gradient(f"{name}.{inner}", each)
        elif isinstance(value, list | tuple):
            for index, each in enumerate(value):
                if isinstance(each, torch.Tensor):
                    yield from _with_gradient(f"{name}[{index}]", each)


def _with_gradient(name: str, tensor: torch.Tensor) -> Iterator[tuple[str, torch.Tensor]]:
    yield name, tensor
    if tensor.is_leaf and tensor.grad is not None:
        yield f"{name}.grad", tensor.grad


def hash_tensor(tensor: torch.Tensor) -> str:
    """Return a hash of values, shape, strides and dtype; of a tensor without cells, of its kind."""
    kind = f"{tensor.layout} {tensor.dtype} {type(tensor).__name__} {tensor.requires_grad}"
    with torch.no_grad():
        try:
            if tensor.layout is torch.strided and not tensor.is_nested:
                kind += f" {tuple(tensor.shape)} {tensor.stride()}"
            plain = tensor.detach().resolve_conj().resolve_neg()
            if plain.layout is not torch.strided:
                plain = plain.to_dense()
            data = plain.contiguous().view(-1).view(torch.uint8).numpy().tobytes()
        except (RuntimeError, NotImplementedError, TypeError, ValueError):
            # Meta, fake, nested and quantized tensors have no cells that can be read so.
            data = b""
    return hashlib.sha256(kind.encode() + data).hexdigest()[:16]
