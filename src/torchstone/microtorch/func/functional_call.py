"""Stateless modules: functional_call and stack_module_state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from torchstone.microtorch.func.tree import mapped
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.ops.joining import stack
from torchstone.microtorch.tensor import Tensor

Tensors = Mapping[str, Tensor]


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Tensors | Sequence[Tensors],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with other parameters and buffers, leaving its own unchanged.

    Args:
        module: The module.
        parameter_and_buffer_dicts: Name -> tensor; or several such dictionaries.
        args: The positional arguments as a tuple, or a single argument.
        kwargs: The keyword arguments.
        tie_weights: Replace a tensor that has several names under all of them.
        strict: Raise an error for unexpected and for missing names.

    Raises:
        ValueError: Two dictionaries give the same name.
        RuntimeError: Names do not match and ``strict`` is true.
    """
    given = dict(_together(parameter_and_buffer_dicts))
    if args is None:
        args = ()
    elif not isinstance(args, tuple):
        args = (args,)
    with _replaced(module, given, tie_weights, strict):
        return module(*args, **(kwargs or {}))


def _together(dicts: Tensors | Sequence[Tensors]) -> Tensors:
    if isinstance(dicts, Mapping):
        return dicts
    if not isinstance(dicts, Sequence) or not all(isinstance(each, Mapping) for each in dicts):
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(dicts)}"
        )
    together: dict[str, Tensor] = {}
    for each in dicts:
        for name in each:
            if name in together:
                raise ValueError(
                    f"{name} appears in multiple dictionaries; behavior of functional call is "
                    "ambiguous"
                )
        together.update(each)
    return together


@contextmanager
def _replaced(
    module: Module, given: dict[str, Tensor], tie_weights: bool, strict: bool
) -> Iterator[None]:
    """Replace tensors within a block, and restore them."""
    places = dict(_places(module))
    if tie_weights:
        _tie(given, places)
    if strict:
        _refuse_other_names(module, given, places)
    before = [(space, dict(space)) for space in {id(s): s for s, _ in places.values()}.values()]
    try:
        for name, tensor in given.items():
            if name in places:
                space, key = places[name]
                space[key] = tensor
        yield
    finally:
        for space, tensors in before:
            space.update(tensors)


def _places(module: Module) -> Iterator[tuple[str, tuple[dict[str, Any], str]]]:
    """Map each name to the dictionary and the key of its tensor."""
    for prefix, each in module.named_modules(remove_duplicate=False):
        for space in (each._parameters, each._buffers):
            for key, tensor in space.items():
                if tensor is not None:
                    yield f"{prefix}.{key}" if prefix else key, (space, key)


def _tie(given: dict[str, Tensor], places: Mapping[str, tuple[dict[str, Any], str]]) -> None:
    """Extend the given tensors to all names of the tensors that they replace."""
    own = {name: id(space[key]) for name, (space, key) in places.items()}
    replaced: dict[int, Tensor] = {}
    for name, tensor in given.items():
        if name in own and replaced.setdefault(own[name], tensor) is not tensor:
            raise ValueError(
                f"functional_call got multiple values for tied weights, one of them {name!r}. "
                "Please pass one, or set tie_weights=False"
            )
    given.update({name: replaced[each] for name, each in own.items() if each in replaced})


def _refuse_other_names(module: Module, given: Tensors, places: Mapping[str, Any]) -> None:
    complaints = [
        f"{what} key(s): {', '.join(map(repr, names))}."
        for what, names in (
            ("Unexpected", [name for name in given if name not in places]),
            ("Missing", [name for name in places if name not in given]),
        )
        if names
    ]
    if complaints:
        raise RuntimeError(
            f"Error(s) in reparametrizing for {type(module).__name__}:\n\t"
            + "\n\t".join(complaints)
        )


def stack_module_state(
    models: Sequence[Module],
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Stack the parameters and buffers of several modules of one class, for ``vmap``.

    Returns:
        The parameters, which require gradients as those of the modules do, and the buffers.
    """
    if not len(models):
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({each.training for each in models}) > 1:
        raise RuntimeError(
            "stack_module_state: Expected all models to have the same training/eval mode."
        )
    if len({type(each) for each in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(each.named_parameters()) for each in models]
    buffers = [dict(each.named_buffers()) for each in models]
    stacked = {
        name: stack([each[name].detach() for each in parameters]).requires_grad_(
            first.requires_grad
        )
        for name, first in parameters[0].items()
    }
    others = {name: stack([each[name] for each in buffers]) for name in buffers[0]}
    return stacked, mapped(lambda each: each.detach(), others)
