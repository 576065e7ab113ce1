"""One call of the matrix, taken apart so that a state can put other tensors into it."""

from dataclasses import dataclass, field
from typing import Any

import torch

# Keys of the tensors that this machine has, and how such a tensor is made.
LAYOUTS: dict[str, Any] = {
    "CPU": lambda x: x,
    "MkldnnCPU": lambda x: x.to_mkldnn(),
    "QuantizedCPU": lambda x: torch.quantize_per_tensor(x, 1.0, 0, torch.quint8),
    "SparseCPU": lambda x: x.to_sparse(),
    "SparseCsrCPU": lambda x: x.to_sparse_csr(),
    "NestedTensorCPU": lambda x: torch.nested.nested_tensor([x, x]),
    "Meta": lambda x: x.to("meta"),
}


@dataclass(kw_only=True)
class Sample:
    """One call.

    Attributes:
        name: What is called, for the reader of a failure.
        call: The function or the overload.
        tensors: The tensors among its arguments, in the order of the tree.
        tree: Its other arguments, with places for the tensors.
        layout: What its tensors are made to be, see `LAYOUTS`.
    """

    name: str
    call: Any
    tensors: list[torch.Tensor] = field(default_factory=list)
    tree: Any = None
    layout: str = "CPU"


def sample_of(name: str, call: Any, args: Any, kwargs: Any) -> Sample:
    """Take a call apart, so that a state can put other tensors into it."""
    tensors: list[torch.Tensor] = []
    tree = _without_tensors((tuple(args), dict(kwargs)), tensors)
    return Sample(name=name, call=call, tensors=tensors, tree=tree)


def arguments_of(sample: Sample, tensors: list[torch.Tensor]) -> Any:
    """Return positional and keyword arguments of a sample with other tensors in it."""
    return _with_tensors(sample.tree, tensors)


@dataclass(frozen=True)
class Place:
    """Where a tensor belongs among the arguments."""

    index: int


def _without_tensors(item: Any, tensors: list[torch.Tensor]) -> Any:
    if isinstance(item, torch.Tensor):
        tensors.append(item)
        return Place(len(tensors) - 1)
    if type(item) in (list, tuple):
        return type(item)(_without_tensors(each, tensors) for each in item)
    if type(item) is dict:
        return {key: _without_tensors(each, tensors) for key, each in item.items()}
    return item


def _with_tensors(item: Any, tensors: list[torch.Tensor]) -> Any:
    if type(item) is Place:
        return tensors[item.index]
    if type(item) in (list, tuple):
        return type(item)(_with_tensors(each, tensors) for each in item)
    if type(item) is dict:
        return {key: _with_tensors(each, tensors) for key, each in item.items()}
    return item
