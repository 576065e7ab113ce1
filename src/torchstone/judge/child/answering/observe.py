"""Observation of tensors and global state, independent of the submission's changes.

What can only be seen from inside (mutation, aliasing, bit-equality, global state) is read here,
through functions that were looked up when this module was imported. A submission that rebinds them
in torch does not affect this module.
"""

from __future__ import annotations

import builtins
import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from weakref import ref

import torch

from .fault import Fault

# A submission may rebind names in `builtins`; this module looks names up in a copy.
__builtins__ = dict(vars(builtins))  # type: ignore[assignment]

# Larger than any correct answer; a larger result is reported, not sent.
RESULT_BYTES_CAP = 256 << 20

Tensor = torch.Tensor
clone = torch.Tensor.clone
detach = torch.Tensor.detach
untyped_storage = torch.Tensor.untyped_storage
torch_equal = torch.equal
saved_tensors_hooks = torch.autograd.graph.saved_tensors_hooks
_empty = torch.empty
_view_as_real = torch.view_as_real
_view = torch.Tensor.view
_set = torch.Tensor.set_
_copy = torch.Tensor.copy_
_arange, _as_strided, _isin, _any = torch.arange, torch.as_strided, torch.isin, torch.any
_storage_offset = torch.Tensor.storage_offset
_stride = torch.Tensor.stride
_get_rng_state = torch.get_rng_state
_is_grad_enabled = torch.is_grad_enabled
_is_inference_mode = torch.is_inference_mode_enabled
_get_default_dtype = torch.get_default_dtype
_get_default_device = torch.get_default_device
_set_grad_enabled = torch._C._set_grad_enabled
_num_threads = torch.get_num_threads
_getters = vars(torch._C.TensorBase)
dtype_of: Callable[[Tensor], Any] = _getters["dtype"].__get__
shape_of: Callable[[Tensor], Any] = _getters["shape"].__get__
_layout: Callable[[Tensor], Any] = _getters["layout"].__get__
_device: Callable[[Tensor], Any] = _getters["device"].__get__
needs_grad: Callable[[Tensor], Any] = _getters["requires_grad"].__get__
_grad_fn: Callable[[Tensor], Any] = _getters["grad_fn"].__get__
num_elements = torch.Tensor.numel
_is_neg = torch.Tensor.is_neg
_is_conj = torch.Tensor.is_conj
_data_ptr = torch.UntypedStorage.data_ptr
_nbytes = torch.UntypedStorage.nbytes
_collect, _get_objects = gc.collect, gc.get_objects
_STRIDED, _CONTIGUOUS = torch.strided, torch.contiguous_format
_BYTE, _WORD = torch.uint8, torch.int64
# By bytes per element; complex128, the only wider dtype, is viewed as two int64.
_INTEGERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def plain(value: Any) -> Any:
    """Return a value in a form that can be sent.

    Plain Python data, and plain tensors cloned to be contiguous.
    """
    if isinstance(value, Tensor):
        if not is_plain(value):
            raise Fault("value_type", type=name_of(value))
        return sendable(value)
    if isinstance(value, (list, tuple)):
        return (
            type(value)(plain(item) for item in value)
            if type(value) in (list, tuple)
            else [plain(v) for v in value]
        )
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if value is None or type(value) in (bool, int, float, str, bytes, torch.dtype):
        return value
    return f"<{type(value).__module__}.{type(value).__name__}>"


def sendable(tensor: Tensor) -> Tensor:
    """Detach and clone a result into its own contiguous memory.

    Raises:
        Fault: The result exceeds `RESULT_BYTES_CAP`.
    """
    if num_elements(tensor) * dtype_of(tensor).itemsize > RESULT_BYTES_CAP:
        raise Fault("result_too_large", shape=tuple(shape_of(tensor)))
    return clone(detach(tensor), memory_format=_CONTIGUOUS)


def name_of(value: Any) -> str:
    """Return the name of a value's type for a message."""
    return "None" if value is None else type(value).__name__


def is_plain(value: Any) -> bool:
    """Return whether a value is exactly a strided CPU ``torch.Tensor``, not a subclass."""
    return type(value) is Tensor and _layout(value) is _STRIDED and _device(value).type == "cpu"


def same_bits(a: Tensor, b: Tensor) -> bool:
    """Compare dtype, shape and every bit (NaN equals the same NaN)."""
    if dtype_of(a) != dtype_of(b) or shape_of(a) != shape_of(b):
        return False
    return torch_equal(_bits(a), _bits(b))


class Snapshot(NamedTuple):
    """Copy of a tensor's storage and metadata at one moment.

    Attributes:
        words: The whole storage, viewed in place.
        copy: A copy of the storage's bytes.
        view: The tensor's dtype, shape, stride, offset, data pointer and storage size.
    """

    words: Tensor
    copy: Tensor
    view: tuple[Any, ...]


def storage_snapshot(tensor: Tensor) -> Snapshot:
    """Copy the whole storage behind a tensor, and its metadata."""
    storage = untyped_storage(tensor)
    words = _set(_empty(0, dtype=_BYTE), storage)
    if _nbytes(storage) % 8 == 0:
        words = _view(words, _WORD)  # faster
    return Snapshot(words, clone(words), _view_of(tensor, storage))


def storage_changed(tensor: Tensor, snapshot: Snapshot) -> bool:
    """Return whether a byte of the storage or the tensor's metadata has changed."""
    if _view_of(tensor, untyped_storage(tensor)) != snapshot.view:
        return True
    return not torch_equal(snapshot.words, snapshot.copy)


def _view_of(tensor: Tensor, storage: Any) -> tuple[Any, ...]:
    # `as_strided_`, `t_` and `.data =` change no byte, but change the caller's tensor.
    geometry = dtype_of(tensor), shape_of(tensor), _stride(tensor), _storage_offset(tensor)
    return *geometry, _data_ptr(storage), _nbytes(storage)


def same_storage(a: Tensor, b: Tensor) -> bool:
    """Return whether two tensors share one storage."""
    left, right = untyped_storage(a), untyped_storage(b)
    return bool(_nbytes(left)) and _data_ptr(left) == _data_ptr(right)


def overlap(a: Tensor, b: Tensor) -> bool:
    """Return whether two tensors share an element, not only a storage."""
    if not (num_elements(a) and num_elements(b) and same_storage(a, b)):
        return False
    if dtype_of(a).itemsize != dtype_of(b).itemsize:
        return True
    places = _arange(_nbytes(untyped_storage(a)) // dtype_of(a).itemsize)
    left, right = (
        _as_strided(places, shape_of(each), _stride(each), _storage_offset(each)) for each in (a, b)
    )
    # isin flattens its second argument in place, so that has to be contiguous.
    return bool(_any(_isin(left, clone(right, memory_format=_CONTIGUOUS))))


def refill(tensor: Tensor, values: Tensor) -> None:
    """Write other values into the memory of a tensor.

    Neither the object, its address nor its version counter shows the change.
    """
    elements = _empty(0, dtype=dtype_of(tensor))
    where = _storage_offset(tensor), shape_of(tensor), _stride(tensor)
    _copy(_set(elements, untyped_storage(tensor), *where), values)


def _bits(tensor: Tensor) -> Tensor:
    """View the elements as integers of their width, with negation and conjugation resolved."""
    bare = detach(tensor)
    if _is_neg(bare) or _is_conj(bare):
        bare = clone(bare, memory_format=_CONTIGUOUS)
    width = _INTEGERS.get(dtype_of(bare).itemsize)
    return _view(bare, width) if width is not None else _view(_view_as_real(bare), _WORD)


def tensors_in(tree: Any) -> list[Tensor]:
    """Return the tensors in nested lists, tuples and dicts."""
    if isinstance(tree, Tensor):
        return [tree]
    items = (
        tree.values() if isinstance(tree, dict) else tree if isinstance(tree, (list, tuple)) else ()
    )
    return [tensor for item in items for tensor in tensors_in(item)]


def saved_bytes(function: Callable[[], Any], inputs: Sequence[Tensor]) -> tuple[Any, int]:
    """Call a function; return its result and the bytes of distinct storages that it saved.

    The storages of the inputs, and those of graphs that have been freed since, are not counted.
    """
    saved, keep = keeper()
    with saved_tensors_hooks(keep, unpack):
        result = function()
    outputs = [t for t in tensors_in([result])]
    return result, unique_bytes(saved, outputs, list(inputs))


class Kept:
    """Object that autograd holds in place of a saved tensor."""

    __slots__ = ("__weakref__", "tensor")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor


class Saved:
    """The tensors that autograd has saved and a graph still holds.

    Tensors of a freed graph are left out: a function may create a graph in each step of a loop and
    keep none.
    """

    def __init__(self) -> None:
        self._kept: list[ref[Kept]] = []

    def add(self, tensor: Tensor) -> Kept:
        """Record a saved tensor; return the object for autograd to hold."""
        # A saved output references its graph, which would then never be freed.
        kept = Kept(detach(tensor))
        self._kept.append(ref(kept))
        return kept

    def __iter__(self) -> Iterator[Tensor]:
        _collect()
        held = [each() for each in self._kept]
        return iter([kept.tensor for kept in held if kept is not None])


def keeper() -> tuple[Saved, Callable[[Tensor], Kept]]:
    """Return a record of the tensors that autograd saves from now on, and its pack hook."""
    saved = Saved()
    return saved, saved.add


def living_storages() -> set[int]:
    """Return the addresses of the storages behind all tensors that Python holds."""
    return {_data_ptr(untyped_storage(tensor)) for tensor in _living()}


def kept_since(alive: set[int], results: Sequence[Tensor]) -> list[Tensor]:
    """Return the tensors that a call left in memory besides its results.

    Args:
        alive: Result of `living_storages` before the call.
        results: Results of the call.
    """
    _collect()
    known = alive | {_data_ptr(untyped_storage(tensor)) for tensor in results}
    return [t for t in _living() if _data_ptr(untyped_storage(t)) not in known]


def _living() -> list[Tensor]:
    return [item for item in _get_objects() if type(item) is Tensor and _layout(item) is _STRIDED]


def unpack(kept: Kept) -> Tensor:
    """Return the saved tensor to autograd."""
    return kept.tensor


def unique_bytes(
    saved: Iterable[Tensor], outputs: Sequence[Tensor], inputs: Sequence[Tensor]
) -> int:
    """Count the bytes of distinct saved storages, without those of the inputs.

    Tensors stored as attributes of an output's autograd context count as saved.
    """
    saved = list(saved)
    for output in outputs:
        node = _grad_fn(output)
        if node is not None and hasattr(node, "__dict__"):
            saved += tensors_in(list(vars(node).values()))
    free = {_data_ptr(untyped_storage(t)) for t in inputs}
    storages = {_data_ptr(s): _nbytes(s) for s in map(untyped_storage, saved)}
    return sum(size for pointer, size in storages.items() if pointer not in free)


# The fault for a changed flag, and the function that reads the flag.
_FLAGS: tuple[tuple[str, Callable[[], Any]], ...] = (
    ("state.grad_mode", _is_grad_enabled),
    ("state.inference_mode", _is_inference_mode),
    ("state.default_dtype", _get_default_dtype),
    ("state.default_device", _get_default_device),
    ("state.num_threads", _num_threads),
    ("state.deterministic", torch.are_deterministic_algorithms_enabled),
    ("state.matmul_precision", torch.get_float32_matmul_precision),
    ("state.anomaly_mode", torch.is_anomaly_enabled),
)


def global_state() -> list[Any]:
    """Return the flags of torch that a call must not change, and the random state."""
    return [read() for _, read in _FLAGS] + [_view(_get_rng_state(), _WORD)]


def same_state(before: list[Any]) -> None:
    """Check that the global state has not changed.

    Raises:
        Fault: It has; the fault names the first change.
    """
    now = global_state()
    changed = [
        fault
        for (fault, _), old, new in zip(_FLAGS, before[:-1], now[:-1], strict=True)
        if old != new
    ]
    if not torch_equal(before[-1], now[-1]):
        changed.append("state.random_state")
    if changed:
        _set_grad_enabled(before[0])
        raise Fault(changed[0])
