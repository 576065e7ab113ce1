"""Parameter containers: ParameterList and ParameterDict."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any, Self

from torchstone.microtorch.nn.modules.containers import pairs, place_of
from torchstone.microtorch.nn.modules.module import Module, typename
from torchstone.microtorch.nn.parameter import Parameter
from torchstone.microtorch.tensor import Tensor


def _as_parameter(value: Any) -> Any:
    is_plain = isinstance(value, Tensor) and not isinstance(value, Parameter)
    return Parameter(value) if is_plain else value


def _line(key: Any, value: Any, kind: str) -> str:
    if not isinstance(value, Tensor):
        return f"  ({key}): Object of type: {type(value).__name__}"
    size = "x".join(str(each) for each in value.shape)
    return f"  ({key}): Parameter containing: [{kind} of size {size}]"


class ParameterList(Module):
    """List of parameters; other values are stored as well."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _name(self, index: int) -> str:
        return str(place_of(index, self._size))

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)(self[place] for place in range(self._size)[idx])
        return getattr(self, self._name(idx))

    def __setitem__(self, idx: int, param: Any) -> None:
        setattr(self, self._name(idx), _as_parameter(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([self[place] for place in range(self._size)])

    def __iadd__(self, parameters: Iterable[Any]) -> Self:
        return self.extend(parameters)

    def append(self, value: Any) -> Self:
        """Append a parameter."""
        self._size += 1
        self[-1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Append several parameters."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(
                "ParameterList.extend should be called with an iterable, but got "
                f"{type(values).__name__}"
            )
        for value in list(values):
            self.append(value)
        return self

    def extra_repr(self) -> str:
        """Return one line per entry."""
        types = [str(getattr(each, "dtype", "")) for each in self]
        return "\n".join(map(_line, range(len(self)), self, types))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise an error: a container cannot be called."""
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """Dictionary of parameters; other values are stored as well."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string "
                f"(type is '{type(key).__name__}'). Open an issue on github if you need "
                "non-string keys."
            )
        self._keys[key] = None
        setattr(self, key, _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def __or__(self, other: Any) -> ParameterDict:
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: Any) -> ParameterDict:
        made = ParameterDict(other)
        made.update(self)
        return made

    def __ior__(self, other: Any) -> Self:
        self.update(other)
        return self

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def copy(self) -> ParameterDict:
        """Return a shallow copy."""
        return ParameterDict(OrderedDict(self.items()))

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Create a dictionary with one value for several keys."""
        return ParameterDict((key, default) for key in keys)

    def popitem(self) -> tuple[str, Any]:
        """Remove and return the last inserted entry."""
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def keys(self) -> Any:
        """Return the keys."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return the key-parameter pairs."""
        return [(key, self[key]) for key in self._keys]

    def values(self) -> Iterable[Any]:
        """Return the parameters."""
        return [self[key] for key in self._keys]

    def get(self, key: str, default: Any = None) -> Any:
        """Return a parameter, or a default if it does not exist."""
        return self[key] if key in self else default

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return a parameter; insert the default if it does not exist."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: str) -> Any:
        """Remove a parameter and return it."""
        value = self[key]
        del self[key]
        return value

    def clear(self) -> None:
        """Remove all entries."""
        for key in list(self._keys):
            del self[key]

    def update(self, parameters: Any) -> None:
        """Add the entries of a dictionary or of a list of pairs."""
        found = pairs("ParametersDict", parameters)
        # PyTorch sorts plain dictionaries by key.
        is_plain = isinstance(parameters, dict) and not isinstance(parameters, OrderedDict)
        for key, value in sorted(found) if is_plain else found:
            self[key] = value

    def extra_repr(self) -> str:
        """Return one line per entry."""
        return "\n".join(_line(key, each, typename(each)) for key, each in self.items())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise an error: a container cannot be called."""
        raise RuntimeError("ParameterDict should not be called.")
