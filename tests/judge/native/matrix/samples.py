"""Samples of calls that reach each family of banned operators, made in a process without bans.

Usage: python samples.py CHILD_FOLDER LIBRARY OUT

``torch.testing``'s table of operators gives the calls of functions, methods, out= and in-place
variants, allowed operators that dispatch a member, and allowed operators whose recorded nodes do.
The profiler tells which operators a call dispatches. Arguments of overloads are made from schemas.
A small table adds what torch's table has no entry for. The result is a pickle:
``{family: {route: [Sample, ...]}}``.
"""

import copyreg
import itertools
import pickle
import sys
import warnings
from typing import Any

import torch

from tests.judge.native.matrix.sample import LAYOUTS, Sample, arguments_of, sample_of

NUM_EACH = 4
NUM_INPUTS = 2
AUTOGRAD = ("autograd-recording", "every-operator")
FORWARD_ONLY = "expand, forward only"


class Table:
    """Collect samples by family and route, a few of each."""

    def __init__(self, families: dict[str, list[str]]) -> None:
        self.members = {
            name: {operator.partition(".")[0] for operator in operators}
            for name, operators in families.items()
        }
        self.found: dict[str, dict[str, list[Sample]]] = {name: {} for name in families}

    def add(self, family: str, route: str, sample: Sample) -> None:
        """Keep a sample if it can be sent and there are too few yet."""
        kept = self.found[family].setdefault(route, [])
        if len(kept) < NUM_EACH and sample.name not in {each.name for each in kept}:
            if _can_be_sent(sample):
                kept.append(sample)

    def add_call(self, sample: Sample, dispatched: list[str], route: str) -> None:
        """Keep a call for every family that it reaches."""
        for family, members in self.members.items():
            if not dispatched or members.isdisjoint(dispatched):
                continue
            self.add(family, route if dispatched[0] in members else "nested", sample)


def _can_be_sent(sample: Sample) -> bool:
    if any(each.layout is not torch.strided for each in sample.tensors):
        return False
    try:
        text = pickle.dumps(sample)
    except Exception:  # noqa: BLE001  a lambda of torch's table, or an object of C++
        return False
    # The process with the bans is to have what a zygote has, not torch's tests.
    return b"torch.testing" not in text


def profiled(work: Any) -> tuple[Any, list[str]]:
    """Return what a call gives, and the operators that it dispatches, outermost first."""
    kind = torch._C._profiler
    torch._C._autograd._enable_profiler_legacy(
        kind.ProfilerConfig(
            kind.ProfilerState.CPU, False, False, False, False, False, kind._ExperimentalConfig()
        )
    )
    try:
        result = work()
    finally:
        events = torch._C._autograd._disable_profiler_legacy()
    names = [event.name() for line in events for event in line if event.kind() == "push"]
    return result, names


def add_from_torch(table: Table) -> None:
    """Add the calls of torch's own table of operators."""
    from torch.testing._internal.common_methods_invocations import op_db

    for entry in op_db:
        if torch.float32 not in entry.supported_dtypes("cpu") or is_left_out(entry.name):
            continue
        try:
            for given in itertools.islice(
                entry.sample_inputs("cpu", torch.float32, requires_grad=False), NUM_INPUTS
            ):
                _add_variants(table, entry, given)
        except (RuntimeError, AssertionError, TypeError, NotImplementedError):
            continue  # an operator of other hardware, or a variant that refuses this sample


def is_left_out(name: str) -> bool:
    """Return whether an entry of torch's table is written in Python and chooses its operators.

    ``torch.masked`` is closed; `linear_cross_entropy` multiplies by `linear` or by `matmul`.
    """
    return "masked." in name or name == "nn.functional.linear_cross_entropy"


def _add_variants(table: Table, entry: Any, given: Any) -> None:
    args = (given.input, *given.args)
    sample = sample_of(entry.name, entry.op, args, given.kwargs)
    result, dispatched = profiled(lambda: entry.op(*args, **given.kwargs))
    table.add_call(sample, dispatched, "functional")
    if isinstance(given.input, torch.Tensor):
        for route, variant in (
            ("method", entry.method_variant),
            ("in-place", entry.inplace_variant),
        ):
            if variant is not None:
                kept = sample_of(f"{entry.name}: {route}", variant, args, given.kwargs)
                for family, members in table.members.items():
                    if dispatched and dispatched[0] in members:
                        table.add(family, route, kept)
    if entry.supports_out and isinstance(result, torch.Tensor):
        out = {**given.kwargs, "out": torch.empty_like(result)}
        kept = sample_of(f"{entry.name}: out=", entry.op, args, out)
        for family, members in table.members.items():
            if dispatched and dispatched[0] in members:
                table.add(family, "out=", kept)
    _add_node(table, entry, sample, dispatched)


def _add_node(table: Table, entry: Any, sample: Sample, dispatched: list[str]) -> None:
    """Add an operator whose node dispatches a member that the operator itself does not."""
    if not entry.supports_autograd or not sample.tensors or not dispatched:
        return
    leaves = [t.detach().clone().requires_grad_(t.is_floating_point()) for t in sample.tensors]
    args, kwargs = arguments_of(sample, leaves)
    # What is taken in place or kept for both is no matter of this sample.
    result = entry.op(*args, **kwargs)
    if not isinstance(result, torch.Tensor) or not result.requires_grad:
        return
    wanted = [leaf for leaf in leaves if leaf.requires_grad]
    grad = torch.ones_like(result)
    _, in_first = profiled(lambda: result.grad_fn(grad))
    result = entry.op(*args, **kwargs)
    _, in_all = profiled(lambda: torch.autograd.grad(result, wanted, grad, allow_unused=True))
    for family, members in table.members.items():
        for route, reached in (("recorded node", in_all), ("node called", in_first)):
            if members.isdisjoint(dispatched) and not members.isdisjoint(reached):
                kept = Sample(
                    name=f"node of {entry.name}",
                    call=sample.call,
                    tensors=sample.tensors,
                    tree=sample.tree,
                )
                table.add(family, route, kept)


def add_by_hand(table: Table) -> None:
    """Add modules and functions that torch's table of operators has no entry for."""
    nn, functional, x = torch.nn, torch.nn.functional, torch.ones(2, 4, 4)
    modules = [
        nn.MultiheadAttention(4, 2, batch_first=True), nn.Bilinear(4, 4, 2), nn.PReLU(), nn.RReLU(),
        nn.TransformerEncoderLayer(4, 2, 4), nn.InstanceNorm1d(4), nn.LSTM(4, 3),
        nn.GRU(4, 3), nn.RNN(4, 3), nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2]), nn.Softmax2d(),
    ]  # fmt: skip
    calls: list[tuple[Any, tuple[Any, ...]]] = [
        (functional.scaled_dot_product_attention, (x, x, x)),
        (functional.gumbel_softmax, (x,)),
    ]
    num_inputs = {nn.MultiheadAttention: 3, nn.Bilinear: 2}
    for module in modules:
        if isinstance(module, nn.AdaptiveLogSoftmaxWithLoss):
            calls.append((module, (x[0], torch.tensor([0, 5, 1, 2]))))
        else:
            calls.append((module, (x,) * num_inputs.get(type(module), 1)))
    for call, args in calls:
        name = getattr(call, "__qualname__", type(call).__name__)
        _, dispatched = profiled(lambda call=call, args=args: call(*args))
        table.add_call(sample_of(name, call, args, {}), dispatched, "functional")


def add_bindings(table: Table, families: dict[str, list[str]]) -> None:
    """Add torch's functions and the tensor's methods named like a member, with made arguments."""
    places = (torch, torch._C._nn, torch.special, torch.linalg)
    for family, operators in families.items():
        for full in operators:
            base, _, name = full.partition(".")
            given = _arguments(getattr(_packet(base), name or "default")._schema)
            short = base.partition("::")[2]
            if not base.startswith("aten::") or given is None:
                continue
            if given[1].keys() & {"out", "out0"} or not _has_kernel(full, "CPU"):
                continue
            route = "in-place" if short.endswith("_") and not short.endswith("__") else None
            for place in places:
                if (call := vars(place).get(short)) is not None:
                    sample = sample_of(f"{place.__name__}.{short}", call, *given)
                    table.add(family, route or "functional", sample)
            method = getattr(torch._C.TensorBase, short, None)
            if method is not None and given[0] and isinstance(given[0][0], torch.Tensor):
                sample = sample_of(f"Tensor.{short}", method, *given)
                table.add(family, route or "method", sample)


def add_overloads(table: Table, families: dict[str, list[str]]) -> dict[str, list[str]]:
    """Add every overload with arguments made from its schema; return those that get none."""
    left: dict[str, list[str]] = {"other hardware": [], "objects of C++": []}
    for family, operators in families.items():
        for full in operators:
            base, _, name = full.partition(".")
            overload = getattr(_packet(base), name or "default")
            given = _arguments(overload._schema)
            layout = next((key for key in LAYOUTS if _has_kernel(full, key)), None)
            if given is None or layout is None:
                left["objects of C++" if given is None else "other hardware"].append(full)
                continue
            sample = sample_of(full, overload, *given)
            if layout != "CPU":
                sample.layout = layout
                table.found[family].setdefault("other layout", []).append(sample)
                continue
            table.found[family].setdefault("overload", []).append(sample)
            schema = overload._schema
            if any(each.is_out for each in schema.arguments):
                table.add(family, "out=", sample)
            elif base.endswith("_") and not base.endswith("__"):
                table.add(family, "in-place", sample)
    return {reason: sorted(set(names)) for reason, names in left.items()}


def _has_kernel(name: str, key: str) -> bool:
    return bool(torch._C._dispatch_has_computed_kernel_for_dispatch_key(name, key))


def _packet(base: str) -> Any:
    namespace, _, name = base.partition("::")
    return getattr(getattr(torch.ops, namespace), name)


def _arguments(schema: Any) -> tuple[list[Any], dict[str, Any]] | None:
    args, kwargs = [], {}
    for argument in schema.arguments:
        value = _value(str(argument.type), argument)
        if value is _NONE:
            return None
        if argument.kwarg_only:
            kwargs[argument.name] = value
        else:
            args.append(value)
    return args, kwargs


_NONE = object()


def _value(kind: str, argument: Any) -> Any:
    if kind.startswith("Optional["):
        inner = _value(kind.removeprefix("Optional[").removesuffix("]"), argument)
        return inner if inner is not _NONE and "Tensor" in kind else None
    if kind.startswith("List["):
        inner = _value(kind.removeprefix("List[").removesuffix("]"), argument)
        size = argument.N or 2
        return _NONE if inner is _NONE else [inner] * size
    if kind == "Tensor":
        return torch.ones(4, 4)
    plain = {
        "int": 1, "float": 1.0, "bool": False, "number": 1, "str": "none", "complex": 1j,
        "Device": torch.device("cpu"), "SymInt": 1, "Scalar": 1,
    }  # fmt: skip
    return plain.get(kind, _NONE)


def add_python_implementations(table: Table, families: dict[str, list[str]]) -> None:
    """Add the implementations of members in Python."""
    import torch._decomp
    import torch._refs.nn.functional
    import torch._refs.special

    places = (
        torch._refs, torch._refs.nn.functional, torch._refs.special, torch._refs.linalg,
        torch.masked, torch.ops.prims,
    )  # fmt: skip
    for family, operators in families.items():
        for full in operators:
            base, _, name = full.partition(".")
            overload = getattr(_packet(base), name or "default")
            given = _arguments(overload._schema)
            implementation = torch._decomp.decomposition_table.get(overload)
            if implementation is not None and given is not None:
                call = sample_of(f"decomposition of {full}", implementation, *given)
                table.add(family, "in Python", call)
        for base in sorted(table.members[family]):
            short = base.partition("::")[2]
            for place in places[:-1]:
                implementation = vars(place).get(short)
                if callable(implementation):
                    call = sample_of(
                        f"{place.__name__}.{short}", implementation, [torch.ones(4, 4)], {}
                    )
                    table.add(family, "in Python", call)


def make(library: str) -> dict[str, Any]:
    """Make the samples of every family."""
    from child.bans import bans

    bans.install(library)
    # What bans functions alone has no operator to call, and tests of its own.
    families = {
        name: members
        for name in bans._state.families
        if name not in AUTOGRAD and (members := bans.expand_families([name]))
    }
    table = Table(families)
    add_from_torch(table)
    add_by_hand(table)
    add_bindings(table, families)
    left = add_overloads(table, families)
    add_python_implementations(table, families)
    rows = table.found
    x = torch.rand(4, 4)
    for routes in rows.values():
        _add_ways(routes)
        routes["allowed"] = [sample_of("torch.clone", torch.clone, [x], {})]
        routes["allowed reduction"] = [sample_of("torch.amax", torch.amax, [x, -1], {})]
    rows[FORWARD_ONLY] = rows["expand"]
    families[FORWARD_ONLY] = families["expand"]
    functions = {
        name: list(table.get("functions", ())) for name, table in bans._state.families.items()
    }
    functions[FORWARD_ONLY] = functions["expand"]
    rows |= {name: _of_any_operator() for name in AUTOGRAD}
    return {"samples": rows, "left": left, "members": families, "functions": functions}


def _add_ways(routes: dict[str, list[Sample]]) -> None:
    """Add the routes that are other ways to call what the family has."""
    routes["jit operation"] = routes["overload"][:NUM_EACH]
    routes["jit graph"] = (routes.get("functional") or routes["overload"])[:NUM_EACH]
    routes["functorch"] = routes["jit graph"]


def _of_any_operator() -> dict[str, list[Sample]]:
    """Return samples for bans that have no members: any operator will do."""
    import torch._refs

    x, aten = torch.ones(4, 4), torch.ops.aten
    routes = {
        "functional": [sample_of("torch.exp", torch.exp, [x], {})],
        "method": [sample_of("Tensor.exp", torch.Tensor.exp, [x], {})],
        "out=": [sample_of("exp: out=", torch.exp, [x], {"out": torch.ones(4, 4)})],
        "in-place": [sample_of("mul_", multiply_in_place, [x], {})],
        "overload": [
            sample_of("aten::exp", aten.exp.default, [x], {}),
            sample_of("aten::mul.Tensor", aten.mul.Tensor, [x, x], {}),
        ],
        "in Python": [sample_of("torch._refs.exp", torch._refs.exp, [x], {})],
        "nested": [sample_of("LayerNorm", torch.nn.LayerNorm(4), [x], {})],
        "recorded node": [sample_of("node of exp", torch.exp, [x], {})],
        "node called": [sample_of("node of exp", torch.exp, [x], {})],
    }
    _add_ways(routes)
    # What records nothing.
    routes["allowed"] = [sample_of("Tensor.detach", torch.Tensor.detach, [x], {})]
    routes["allowed reduction"] = [sample_of("torch.argmax", torch.argmax, [x], {})]
    return routes


def multiply_in_place(x: torch.Tensor) -> torch.Tensor:
    """Change a tensor that is no leaf by one that may be."""
    return x.detach().clone().mul_(x)


def _reduce_overload(overload: Any) -> Any:
    return _overload, (overload._schema.name, overload._overloadname)


def _overload(base: str, name: str) -> Any:
    return getattr(_packet(base), name)


copyreg.pickle(torch._ops.OpOverload, _reduce_overload)  # type: ignore[arg-type]


def main() -> None:
    """Write the samples to the file that the last argument names."""
    sys.path.insert(0, sys.argv[1])
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    made = make(sys.argv[2])
    with open(sys.argv[3], "wb") as file:
        pickle.dump(made, file)


if __name__ == "__main__":
    # So that the pickle names this module as the tests import it.
    from tests.judge.native.matrix import samples

    samples.main()
