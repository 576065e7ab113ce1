"""``Optimizer``: the base class, with parameter groups, state, hooks and state_dict."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Any

from torchstone.microtorch.autograd.node import RemovableHandle
from torchstone.microtorch.grad_mode import enable_grad, no_grad
from torchstone.microtorch.nn.parameter import clear_gradients
from torchstone.microtorch.optim.flat import Flat
from torchstone.microtorch.tensor import Tensor

Group = dict[str, Any]


class Optimizer:
    """Base class of optimizers.

    Attributes:
        defaults: Default options of the groups.
        param_groups: Dictionaries with ``params`` and options.
        state: Parameter -> its state between steps.
        scalars: Names of state entries that are scalars shared by parameters updated together.
    """

    scalars: tuple[str, ...] = ("step",)

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or "
                f"dicts, but got {params.type()}"
            )
        if defaults.get("differentiable"):
            raise NotImplementedError("the steps of an optimizer are not recorded")
        if defaults.get("fused") and defaults.get("foreach"):
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
        self.defaults = defaults
        self.state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[Group] = []
        self._flats: dict[int, list[Flat]] = {}
        self._before: dict[int, Callable[..., Any]] = {}
        self._after: dict[int, Callable[..., Any]] = {}
        given = list(params)
        if not given:
            raise ValueError("optimizer got an empty parameter list")
        for group in given if isinstance(given[0], dict) else [{"params": given}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: Group) -> None:
        """Add a parameter group with options of its own."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        group = dict(param_group)
        params = group["params"]
        if isinstance(params, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections")
        params = [params] if isinstance(params, Tensor) else list(params)
        self._read_names(group, params)
        for each in group["params"]:
            if not isinstance(each, Tensor):
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is "
                    f"{type(each).__name__}"
                )
            if not each.is_leaf and not each.retains_grad:
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            group.setdefault(name, default)
        if len(set(map(id, group["params"]))) != len(group["params"]):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this "
                "will cause an error",
                stacklevel=3,
            )
        known = {id(each) for other in self.param_groups for each in other["params"]}
        if known & set(map(id, group["params"])):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(group)

    def _read_names(self, group: Group, params: list[Any]) -> None:
        """Extract the names of parameters given as (name, tensor) pairs."""
        named = [isinstance(each, tuple) for each in params]
        if any(named) and not all(named):
            raise ValueError(
                "all optimizer params should be with/without names. Some param names are missing"
            )
        if self.param_groups and ("param_names" in self.param_groups[0]) != any(named):
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add param group "
                "with names to the optimizer"
            )
        if any(named):
            group["param_names"] = [name for name, _ in params]
            params = [each for _, each in params]
        group["params"] = params

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients to None, or to zero."""
        for group in self.param_groups:
            clear_gradients(group["params"], set_to_none)

    def initial_state(self, group: Group) -> Mapping[str, Any]:
        """Return the names and initial values of a parameter's state."""
        return {}

    def update(self, flat: Flat, group: Group) -> None:
        """Update some parameters. Implemented by subclasses."""
        raise NotImplementedError

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update all parameters that have a gradient.

        Args:
            closure: Reevaluates the loss and its gradients; its result is returned.
        """
        args = (self,) if closure is None else (self, closure)
        for hook in list(self._before.values()):
            hook(self, args, {})
        with no_grad():
            loss = self._advance(enable_grad()(closure) if closure is not None else None)
        for hook in list(self._after.values()):
            hook(self, args, {})
        return loss

    def _advance(self, closure: Callable[[], Any] | None) -> Any:
        """Evaluate the closure and update the parameters of all groups."""
        loss = None if closure is None else closure()
        for number, group in enumerate(self.param_groups):
            for flat in self._current(number, group):
                self.update(flat, group)
        return loss

    def _current(self, number: int, group: Group) -> list[Flat]:
        """Return the concatenated state of the parameters that have a gradient."""
        params = [each for each in group["params"] if each._grad is not None]
        known, initial = self._flats.get(number, []), self.initial_state(group)
        if sum(len(flat.params) for flat in known) != len(params) or not all(
            flat.holds(self.state, initial.keys()) for flat in known
        ):
            known = self._flats[number] = self._laid_flat(params, initial)
        return known

    def _laid_flat(self, params: list[Tensor], initial: Mapping[str, Any]) -> list[Flat]:
        # Parameters with equal step counts share a concatenated array.
        together: dict[Any, list[Tensor]] = {}
        for each in params:
            own = self.state.get(each, {})
            numbers = tuple(float(own.get(name, 0)) for name in self.scalars)
            together.setdefault((each.array.dtype, numbers, bool(own)), []).append(each)
        return [Flat(each, self.state, initial, self.scalars) for each in together.values()]

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register ``hook(optimizer, args, kwargs)``, run before each step."""
        return RemovableHandle(self._before, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register ``hook(optimizer, args, kwargs)``, run after each step."""
        return RemovableHandle(self._after, hook)

    def state_dict(self) -> dict[str, Any]:
        """Return options and state; parameters are replaced by indices."""
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for each in group["params"]:
                numbers.setdefault(id(each), len(numbers))
            packed = {key: value for key, value in group.items() if key != "params"}
            groups.append({**packed, "params": [numbers[id(each)] for each in group["params"]]})
        state = {
            numbers[id(key)] if isinstance(key, Tensor) else key: dict(value)
            for key, value in self.state.items()
        }
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load options and state returned by ``state_dict``."""
        saved = deepcopy(state_dict["param_groups"])
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        by_number: dict[int, Tensor] = {}
        for group, other in zip(self.param_groups, saved, strict=True):
            if len(group["params"]) != len(other["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of "
                    "optimizer's group"
                )
            by_number.update(zip(other["params"], group["params"], strict=True))
            group.update({key: value for key, value in other.items() if key != "params"})
        self._flats.clear()
        self.state = defaultdict(dict)
        for key, values in state_dict["state"].items():
            # None is a momentum buffer that has not been initialized.
            own = {name: value for name, value in values.items() if value is not None}
            self.state[by_number.get(key, key)] = deepcopy(own)

    def __getstate__(self) -> dict[str, Any]:
        # A copy rebuilds its concatenated arrays: copied ones would not share memory with the
        # state.
        return {key: self.__dict__[key] for key in ("defaults", "state", "param_groups")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._flats, self._before, self._after = {}, {}, {}

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines += [""] * (number > 0) + [f"Parameter Group {number}"]
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])


_NOT_NEGATIVE = (
    "eps", "initial_accumulator_value", "lr_decay", "momentum", "momentum_decay", "weight_decay",
)  # fmt: skip


def checked(given: dict[str, Any]) -> dict[str, Any]:
    """Extract the options from a constructor's ``locals()``; raise an error for invalid ones."""
    options = {key: given[key] for key in given if key not in ("self", "params", "__class__")}
    lr = options["lr"]
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    check(float(lr) >= 0.0, "learning rate", lr)
    for key in _NOT_NEGATIVE:
        name = "epsilon" if key == "eps" else key
        check(options.get(key, 0.0) >= 0.0, f"{name} value", options.get(key))
    for place, beta in enumerate(options.get("betas", ())):
        check(0.0 <= beta < 1.0, f"beta parameter at index {place}", beta)
    return options


def check(condition: bool, name: str, value: Any) -> None:
    """Raise an error for an invalid option."""
    if not condition:
        raise ValueError(f"Invalid {name}: {value}")
