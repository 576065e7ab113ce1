"""Call the submission for one request and describe what came back.

Runs inside the sandbox, next to code that may be hostile. Values and gradients are only gathered
here; whether they are right is decided elsewhere from their bytes. What can only be observed from
inside (mutation, aliasing, bit-equality, global state) is read through functions captured when
this module was imported, before the submission existed.
"""

from __future__ import annotations

import linecache
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

Answer = dict[str, Any]

MESSAGE_CAP = 2000
SCRATCH_CAP = 20_000
KEEP_CAP = 1 << 16
# Larger than any honest answer; a result that would not fit is described, not sent.
RESULT_BYTES_CAP = 256 << 20

Tensor = torch.Tensor
clone = torch.Tensor.clone
detach = torch.Tensor.detach
untyped_storage = torch.Tensor.untyped_storage
contiguous = torch.Tensor.contiguous
autograd_grad = torch.autograd.grad
_backward: Callable[..., None] = torch.autograd.backward
torch_equal = torch.equal
_empty = torch.empty
_get_rng_state = torch.get_rng_state
_is_grad_enabled = torch.is_grad_enabled
_is_inference_mode = torch.is_inference_mode_enabled
_get_default_dtype = torch.get_default_dtype
_get_default_device = torch.get_default_device
_set_grad_enabled = torch._C._set_grad_enabled
_num_threads = torch.get_num_threads
_saved_tensors_hooks = torch.autograd.graph.saved_tensors_hooks
_getters = vars(torch._C.TensorBase)
_dtype: Callable[[Tensor], Any] = _getters["dtype"].__get__
_shape: Callable[[Tensor], Any] = _getters["shape"].__get__
_layout: Callable[[Tensor], Any] = _getters["layout"].__get__
_device: Callable[[Tensor], Any] = _getters["device"].__get__
_requires_grad: Callable[[Tensor], Any] = _getters["requires_grad"].__get__
_stride = torch.Tensor.stride
_numel = torch.Tensor.numel
_is_neg = torch.Tensor.is_neg
_is_conj = torch.Tensor.is_conj
_data_ptr = torch.UntypedStorage.data_ptr
_nbytes = torch.UntypedStorage.nbytes


class Fault(Exception):
    """Carry a fact that ends a request: what was broken, under which verdict."""

    def __init__(self, code: str, aspect: str | None, en: str, zh: str = "") -> None:
        super().__init__(en)
        self.record = {"code": code, "aspect": aspect, "detail": {"en": en, "zh": zh or en}}


@dataclass(slots=True)
class Session:
    """Remember, over the requests of one job, what later requests are compared with."""

    lift: Callable[[], None] = lambda: None
    restore: Callable[[], None] = lambda: None
    previous: list[tuple[Tensor, Tensor]] = field(default_factory=list)


def answer(
    submission: Any, op: str, data: dict[str, Any], session: Session, probe: Any = None
) -> Answer:
    """Answer one request: ``call`` by the driver itself, anything else by the problem's probe."""
    try:
        if op == "call":
            return call(submission, data, session)
        if op == "run":
            return run_script(submission, data)
        if op == "scratch":
            return evaluate(submission, data["expression"])
        if probe is None:
            raise LookupError(f"the problem has no probe for the request {op!r}")
        result: Answer = probe(submission, op, data, sys.modules[__name__])
        return result
    except Fault as fault:
        return {"fault": fault.record}
    # SystemExit and KeyboardInterrupt raised by a submission are answers, too.
    except BaseException as error:  # noqa: BLE001
        return {"raised": describe_error(error)}


def call(submission: Any, data: dict[str, Any], session: Session) -> Answer:
    """Call a function or module of the submission.

    Return outputs, VJPs and what was asked for besides.
    """
    function, parameters = _target(submission, data)
    args, kwargs = list(data["args"]), dict(data["kwargs"])
    wrt = _require_grad(args, kwargs, parameters, data["wrt"])
    watched = [
        item for item in _tensors([args, kwargs, data["cotangents"], list(parameters.values())])
    ]
    before = [storage_snapshot(item) for item in watched]
    state = _global_state()

    saved, keep = _keeper()
    if data["saved"]:
        with _saved_tensors_hooks(keep, _unpack):
            result = function(*args, **kwargs)
    else:
        result = function(*args, **kwargs)

    _same_state(state)
    _unchanged(watched, before, "call")
    outputs = _outputs(result, watched if not data["views"] else [])
    _previous_unchanged(session)
    found = _describe_outputs(result, outputs)
    if data["saved"]:
        found["saved.bytes"] = _saved_bytes(saved, outputs, watched)
        found["saved.total_bytes"] = _saved_bytes(saved, outputs, [])
    if wrt:
        found |= _gradients(outputs, wrt, data, session)
        _unchanged(watched, before, "backward")
    if data["twice"]:
        again = _outputs(function(*args, **kwargs), [])
        if len(again) != len(outputs) or not all(map(same_bits, outputs, again)):
            raise Fault(
                "WA",
                "determinism",
                "a second call on the same input gave other bits",
                "同样的输入第二次调用，结果的比特不同",
            )
        _unchanged(watched, before, "second")
    session.previous = [(t, clone(detach(t))) for t in outputs if _numel(t) <= KEEP_CAP]
    return found


def run_script(submission: Any, data: dict[str, Any]) -> Answer:
    """Run a script from its first line with fresh globals.

    Return its exit code and the names that were asked for.
    """
    scope: dict[str, Any] = {"__name__": "__main__", "__builtins__": submission.builtins}
    old_argv, sys.argv = sys.argv, [submission.filename, *data.get("argv", [])]
    try:
        exec(submission.code, scope)
        code: object = 0
    except SystemExit as stop:
        code = 0 if stop.code is None else stop.code
    finally:
        sys.argv = old_argv
    found: Answer = {"exit": code if type(code) is int else 1}
    for name in data.get("names", []):
        found[f"name.{name}"] = plain(scope[name]) if name in scope else None
    return found


def evaluate(submission: Any, expression: str) -> Answer:
    """Evaluate the learner's own expression among the names of the file and show what it gives."""
    scope = submission.names()
    scope.setdefault("torch", torch)
    value = eval(compile(expression, "<input>", "eval"), scope)
    shown = repr(value)
    if isinstance(value, Tensor) and is_plain(value):
        shown += f"\n{str(_dtype(value)).removeprefix('torch.')} {tuple(_shape(value))}"
    return {"text": shown[:SCRATCH_CAP]}


def attempt(function: Callable[[], Any]) -> Answer:
    """Run something that may raise; return ``{"value": ...}`` or ``{"raised": ...}``."""
    try:
        return {"value": function()}
    except Fault:
        raise
    except BaseException as error:  # noqa: BLE001
        return {"raised": describe_error(error)}


def plain(value: Any) -> Any:
    """Return a value as it may travel.

    Plain Python data, and plain tensors cloned to be contiguous.
    """
    if isinstance(value, Tensor):
        if not is_plain(value):
            came = type(value).__name__
            raise Fault(
                "WA",
                "property",
                f"a {came} came where a plain torch.Tensor was wanted",
                f"应为普通的 torch.Tensor，得到的是 {came}",
            )
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
    """Detach and clone a result into contiguous memory of its own.

    Refuse one that is absurdly large.
    """
    if _numel(tensor) * _dtype(tensor).itemsize > RESULT_BYTES_CAP:
        shape = tuple(_shape(tensor))
        raise Fault(
            "WA",
            "shape",
            f"the result has shape {shape}, too large to be right",
            f"结果的形状是 {shape}，大得不可能正确",
        )
    with torch.no_grad():
        return clone(detach(tensor), memory_format=torch.contiguous_format)


def is_plain(value: Any) -> bool:
    """Tell whether a value is exactly a strided CPU ``torch.Tensor``, not a subclass."""
    return (
        type(value) is Tensor and _layout(value) is torch.strided and _device(value).type == "cpu"
    )


def same_bits(a: Tensor, b: Tensor) -> bool:
    """Compare dtype, shape and every bit (NaN equals the same NaN)."""
    if _dtype(a) != _dtype(b) or _shape(a) != _shape(b):
        return False
    left, right = _as_words(_settled(a), _settled(b))
    return torch_equal(left, right)


def storage_snapshot(tensor: Tensor) -> Tensor:
    """Copy the bytes of the whole storage behind a tensor."""
    return clone(_storage_as_words(tensor))


def storage_changed(tensor: Tensor, snapshot: Tensor) -> bool:
    """Tell whether any byte of the storage differs from the snapshot."""
    return not torch_equal(_storage_as_words(tensor), snapshot)


def same_storage(a: Tensor, b: Tensor) -> bool:
    """Tell whether two tensors look at one storage."""
    left, right = untyped_storage(a), untyped_storage(b)
    return bool(_nbytes(left)) and _data_ptr(left) == _data_ptr(right)


def vjp(
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    cotangents: Sequence[Tensor],
    **options: Any,
) -> list[Any]:
    """Compute vector-Jacobian products with the captured ``torch.autograd.grad``.

    Unused inputs give ``None``.
    """
    return list(
        autograd_grad(list(outputs), list(inputs), list(cotangents), allow_unused=True, **options)
    )


def saved_bytes(function: Callable[[], Any], inputs: Sequence[Tensor]) -> tuple[Any, int]:
    """Call a function; return its result and the bytes of unique storages that it saved.

    The storages of the inputs are not counted.
    """
    saved, keep = _keeper()
    with _saved_tensors_hooks(keep, _unpack):
        result = function()
    outputs = [t for t in _tensors([result])]
    return result, _saved_bytes(saved, outputs, list(inputs))


def describe_error(error: BaseException) -> dict[str, Any]:
    """Describe an exception without trusting it.

    Type, bases, message, and the line of the submission it passed.
    """
    line, text = None, ""
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == SUBMISSION_FILE:
            line, text = number, linecache.getline(SUBMISSION_FILE, number).strip()
    if isinstance(error, SyntaxError) and error.filename == SUBMISSION_FILE:
        line, text = error.lineno, (error.text or "").strip()
    try:
        message = str(error)[:MESSAGE_CAP]
    except BaseException:  # noqa: BLE001  a hostile __str__ must not end the report
        message = "(the exception cannot be printed)"
    bases = [str(base.__name__) for base in type(error).__mro__[1:-1]]
    return {
        "type": str(type(error).__name__)[:100],
        "bases": bases[:20],
        "message": message,
        "line": line,
        "text": text[:200],
        "memory": isinstance(error, MemoryError) or any(sign in message for sign in _NO_MEMORY),
    }


SUBMISSION_FILE = "<submission>"
# How torch's allocator and the C++ library say it when the limit is reached.
_NO_MEMORY = ("can't allocate memory", "std::bad_alloc", "Cannot allocate memory")


def _target(submission: Any, data: dict[str, Any]) -> tuple[Callable[..., Any], dict[str, Tensor]]:
    function: Any = submission
    for part in data["name"].split("."):
        function = getattr(function, part)
    if "init" not in data:
        return function, {}
    module = function(*data["init"], **data["init_kwargs"])
    parameters: dict[str, Tensor] = {}
    for name, value in data["state"].items():
        owner, parameter = module, None
        for part in name.split("."):
            owner, parameter = parameter if parameter is not None else owner, None
            parameter = getattr(owner, part)
        if not isinstance(parameter, Tensor) or _shape(parameter) != _shape(value):
            wanted = tuple(_shape(value))
            raise Fault(
                "WA",
                "shape",
                f"the parameter {name!r} is not a tensor of shape {wanted}",
                f"参数 {name!r} 不是形状为 {wanted} 的张量",
            )
        with torch.no_grad():
            parameter.copy_(value)
        parameters[name] = parameter
    return module, parameters


def _require_grad(
    args: list[Any], kwargs: dict[str, Any], parameters: dict[str, Tensor], wrt: Sequence[int | str]
) -> dict[str, Tensor]:
    leaves: dict[str, Tensor] = {}
    for key in wrt:
        if isinstance(key, str) and key.startswith("state."):
            leaves[key] = parameters[key.removeprefix("state.")]
            continue
        leaf = args[key] if isinstance(key, int) else kwargs[key]
        leaves[str(key)] = leaf.requires_grad_()
    return leaves


def _tensors(tree: Any) -> list[Tensor]:
    if isinstance(tree, Tensor):
        return [tree]
    items = (
        tree.values() if isinstance(tree, dict) else tree if isinstance(tree, (list, tuple)) else ()
    )
    return [tensor for item in items for tensor in _tensors(item)]


def _outputs(result: Any, inputs: Sequence[Tensor]) -> list[Tensor]:
    items = list(result) if type(result) in (tuple, list) else [result]
    for position, item in enumerate(items):
        alone, name = len(items) == 1, _name(item)
        en, zh = (
            ("the result", "返回值") if alone else (f"result {position}", f"第 {position} 个返回值")
        )
        if not is_plain(item):
            wanted = "a plain strided CPU torch.Tensor"
            raise Fault(
                "WA",
                "property",
                f"{en} is {name}; {wanted} was wanted",
                f"{zh}是 {name}；应为普通的 CPU torch.Tensor",
            )
        if any(same_storage(item, other) for other in inputs):
            raise Fault(
                "WA",
                "property",
                f"{en} shares memory with an input; it must own its storage",
                f"{zh}与输入共享内存；它应当拥有自己的存储",
            )
    return items


def _name(value: Any) -> str:
    return "None" if value is None else type(value).__name__


def _describe_outputs(result: Any, outputs: list[Tensor]) -> Answer:
    if type(result) not in (tuple, list):
        return {"out": sendable(outputs[0])}
    found: Answer = {"out.len": len(outputs)}
    return found | {f"out.{position}": sendable(item) for position, item in enumerate(outputs)}


def _gradients(
    outputs: list[Tensor], wrt: dict[str, Tensor], data: dict[str, Any], session: Session
) -> Answer:
    pairs = [(y, g) for y, g in zip(outputs, data["cotangents"], strict=False) if g is not None]
    if any(_shape(y) != _shape(g) or _dtype(y) != _dtype(g) for y, g in pairs):
        # The wrong shape or dtype of the result is the finding; autograd would only raise.
        return {}
    second = data["second"]
    differentiable = [
        (y, g.requires_grad_() if second else g) for y, g in pairs if _requires_grad(y)
    ]
    if not differentiable:
        return {f"grad.{name}": None for name in wrt}
    session.lift()
    try:
        ys, gs = [y for y, _ in differentiable], [g for _, g in differentiable]
        grads = vjp(ys, list(wrt.values()), gs, create_graph=bool(second), retain_graph=True)
        found: Answer = {f"grad.{name}": _gradient(g) for name, g in zip(wrt, grads, strict=True)}
        if second:
            attempted = attempt(lambda: _second(grads, gs, wrt, second))
            found |= (
                attempted["value"]
                if "value" in attempted
                else {"second.raised": attempted["raised"]}
            )
    finally:
        session.restore()
    return found


def _gradient(value: Any) -> Any:
    if value is None:
        return None
    if not is_plain(value):
        name = _name(value)
        raise Fault(
            "WA",
            "grad",
            f"a gradient is {name}; a plain torch.Tensor was wanted",
            f"梯度是 {name}；应为普通的 torch.Tensor",
        )
    return sendable(value)


def _second(
    grads: list[Any], cotangents: list[Tensor], wrt: dict[str, Tensor], second: Sequence[Tensor]
) -> Answer:
    leaves = list(wrt.values())
    terms = [
        (g * v).sum()
        for g, v in zip(grads, second, strict=True)
        if g is not None and _requires_grad(g)
    ]
    names = [f"second.{name}" for name in wrt] + [
        f"second.cotangent.{i}" for i in range(len(cotangents))
    ]
    # The zero terms keep every leaf in the graph, and `.backward()` instead of `grad(inputs=...)`
    # keeps the error node of `once_differentiable`, which pruning would skip: an honest refusal
    # must not look silent.
    anchors = [(leaf * 0).sum() for leaf in leaves + cotangents]
    for leaf in leaves + cotangents:
        leaf.grad = None
    _backward(sum(terms + anchors, torch.zeros(())))
    found = {
        name: _gradient(leaf.grad) for name, leaf in zip(names, leaves + cotangents, strict=True)
    }
    for leaf in leaves + cotangents:
        leaf.grad = None
    return found


def _keeper() -> tuple[list[Tensor], Callable[[Tensor], Tensor]]:
    """Return a list and the hook that adds what autograd saves to it."""
    saved: list[Tensor] = []

    def keep(tensor: Tensor) -> Tensor:
        saved.append(tensor)
        return tensor

    return saved, keep


def _unpack(tensor: Tensor) -> Tensor:
    return tensor


def _saved_bytes(
    saved: Sequence[Tensor], outputs: Sequence[Tensor], inputs: Sequence[Tensor]
) -> int:
    # Tensors hidden as attributes of ctx count like saved ones.
    for output in outputs:
        node = output.grad_fn
        saved = [
            *saved,
            *_tensors(
                list(vars(node).values()) if node is not None and hasattr(node, "__dict__") else []
            ),
        ]
    free = {_data_ptr(untyped_storage(t)) for t in inputs}
    storages = {_data_ptr(s): _nbytes(s) for s in map(untyped_storage, saved)}
    return sum(size for pointer, size in storages.items() if pointer not in free)


def _settled(tensor: Tensor) -> Tensor:
    """Lay the elements one after the other, with no lazy sign left to be applied."""
    plain = detach(tensor)
    # `contiguous` leaves a tensor of one element as it is, whatever its stride.
    if _numel(plain) > 1 and not _is_neg(plain) and not _is_conj(plain):
        return contiguous(plain)
    return clone(plain, memory_format=torch.contiguous_format)


def _as_words(*tensors: Tensor) -> list[Tensor]:
    """View the bits of contiguous tensors as integers, wide ones where all fit: faster."""
    flat = [tensor.reshape(-1).view(torch.uint8) for tensor in tensors]
    wide = all(_numel(each) % 8 == 0 and each.storage_offset() % 8 == 0 for each in flat)
    return [each.view(torch.int64) for each in flat] if wide else flat


def _storage_as_words(tensor: Tensor) -> Tensor:
    (words,) = _as_words(_empty(0, dtype=torch.uint8).set_(untyped_storage(detach(tensor))))
    return words


def _unchanged(tensors: Sequence[Tensor], before: Sequence[Tensor], during: str) -> None:
    for tensor, snapshot in zip(tensors, before, strict=True):
        if storage_changed(tensor, snapshot):
            en, zh = _DURING[during]
            raise Fault(
                "INPUT_MUTATED", None, f"{en} changed an argument in place", f"{zh}原地修改了参数"
            )


_DURING = {
    "call": ("the call", "调用"),
    "backward": ("the backward pass", "反向传播"),
    "second": ("the second call", "第二次调用"),
}


def _previous_unchanged(session: Session) -> None:
    for tensor, copy in session.previous:
        if not same_bits(tensor, copy):
            raise Fault(
                "WA",
                "property",
                "this call changed the result of the call before: a buffer is reused",
                "这次调用改变了上一次的返回值：缓冲区被重复使用",
            )


_FLAGS: tuple[tuple[tuple[str, str], Callable[[], Any]], ...] = (
    (("the grad mode", "梯度模式"), _is_grad_enabled),
    (("the inference mode", "推理模式"), _is_inference_mode),
    (("the default dtype", "默认 dtype"), _get_default_dtype),
    (("the default device", "默认设备"), _get_default_device),
    (("the number of threads", "线程数"), _num_threads),
    (("the deterministic flag", "确定性开关"), torch.are_deterministic_algorithms_enabled),
    (("the float32 matmul precision", "float32 矩阵乘法精度"), torch.get_float32_matmul_precision),
    (("the anomaly mode", "异常检测模式"), torch.is_anomaly_enabled),
)


def _global_state() -> list[Any]:
    return [read() for _, read in _FLAGS] + [_get_rng_state()]


def _same_state(before: list[Any]) -> None:
    now = _global_state()
    changed = [
        name
        for (name, _), old, new in zip(_FLAGS, before[:-1], now[:-1], strict=True)
        if old != new
    ]
    if not torch_equal(before[-1], now[-1]):
        changed.append(("the random state", "随机数状态"))
    if changed:
        _set_grad_enabled(before[0])
        en, zh = changed[0]
        raise Fault(
            "WA",
            "property",
            f"after the call {en} is not what it was before",
            f"调用之后{zh}与调用之前不同",
        )
