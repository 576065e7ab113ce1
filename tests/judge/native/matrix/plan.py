"""Combinations of the matrix: family, route, state; which of them make no sense, and why."""

from __future__ import annotations

import fnmatch
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

RECORDING, EVERY = "autograd-recording", "every-operator"
FORWARD_ONLY = "expand, forward only"
# Rows beside the families that have members.
OTHERS = (RECORDING, EVERY, FORWARD_ONLY)

ROUTES = (
    "functional", "method", "out=", "in-place", "overload", "other layout", "in Python", "nested",
    "jit operation", "jit graph", "functorch", "recorded node", "node called",
    "allowed", "allowed reduction",
)  # fmt: skip
STATES = (
    "plain", "requires_grad", "no_grad", "inference_mode", "below autograd", "keys excluded",
    "vmap", "forward AD", "autocast", "function mode", "dispatch mode", "tensor subclass",
    "saved-tensor hook", "tensor hook", "own backward", "finaliser", "finaliser in an operator",
    "generator close", "signal handler", "second thread", "import time", "meta tensors",
    "fake tensors",
)  # fmt: skip

EXPANDS = ("expand", FORWARD_ONLY)
Samples = Mapping[str, Mapping[str, Sequence[Any]]]
Names = tuple[str, ...] | None

IN_PYTHON = ("torch._refs.*", "torch._decomp.*", "torch._prims*", "torch._meta_registrations.*")
# Of a route or a state that is itself closed: what the report names.
CLOSED_ROUTES = {"in Python": IN_PYTHON, "jit graph": ("torch.jit.*",)}
CLOSED_STATES = {
    "function mode": ("torch._C._push_on_torch_function_stack",),
    "dispatch mode": ("torch._C._push_on_torch_dispatch_stack",),
    "fake tensors": ("torch._subclasses.fake_tensor.*",),
}
BELOW = ("inference_mode", "below autograd", "keys excluded", "finaliser in an operator")
# Calls that must pass.
PASSING = ("allowed", "allowed reduction")
# What torch itself refuses to do in vmap, before it calls an operator.
UNSUPPORTED = {
    "vmap": ("Batching rule not implemented for", "vmap over torch.allclose isn't supported"),
}


ANY = None
# Why combinations make no sense: the reason, and the families, routes and states that it is about.
RULES: tuple[tuple[str, Names, Names, Names], ...] = (
    (
        "a forward-only ban sleeps inside allowed operators, as it does in the driver's backward",
        (FORWARD_ONLY,), ("nested",), ANY,
    ),
    ("the ban begins when the file is loaded", (RECORDING, EVERY), ANY, ("import time",)),
    ("autograd refuses out= for what requires grad", (RECORDING,), ("out=",), ANY),
    (
        "nothing is recorded below autograd", (RECORDING,),
        ("functional", "method", "in-place", "overload", "nested", "jit operation", "functorch"),
        BELOW,
    ),
    ("no operator is allowed", (EVERY,), PASSING, ANY),
    ("with a tangent no operator is allowed", (RECORDING,), PASSING, ("forward AD",)),
    ("the layers of vmap record views", (RECORDING,), ("allowed reduction",), ("vmap",)),
    ("the state is closed", ANY, PASSING, tuple(CLOSED_STATES)),
    ("vmap is closed with this family", EXPANDS, PASSING, ("vmap",)),
    (
        "torch computes the shape, or the tangent, by what may be banned", ANY,
        ("allowed reduction",), ("meta tensors", "forward AD"),
    ),
    ("torch refuses to run a graph inside vmap", ANY, ("recorded node",), ("vmap",)),
    (
        "torch has no such tensors there", ANY,
        ("other layout",), ("vmap", "forward AD", "meta tensors"),
    ),
    ("torch.func refuses saved-tensor hooks", ANY, ("functorch",), ("saved-tensor hook",)),
    ("torch has no batching rule for out=", ANY, ("out=",), ("vmap",)),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Combination:
    """One cell of the matrix; `sample` numbers the samples of the family by this route."""

    family: str
    route: str
    state: str
    sample: int = 0

    def __str__(self) -> str:
        return f"{self.family} | {self.route} | {self.state} | {self.sample}"


def deny_of(family: str) -> dict[str, Any]:
    """Return what `bans.bans.impose` takes for a row."""
    if family == FORWARD_ONLY:
        return {"families": [], "forward_only": ["expand"], "modules": ["numpy"]}
    return {"families": [family], "modules": ["numpy"]}


def senseless(family: str, route: str, state: str) -> str | None:
    """Return why a combination makes no sense, or None if it is tried."""
    for reason, families, routes, states in RULES:
        if (
            (families is ANY or family in families)
            and (routes is ANY or route in routes)
            and (states is ANY or state in states)
        ):
            return reason
    return None


def closed_names(combination: Combination) -> tuple[str, ...]:
    """Return the patterns of closed functions that a combination may end at."""
    # torch itself calls Python implementations for the shapes of meta tensors.
    implementations = IN_PYTHON if combination.state == "meta tensors" else ()
    by_route = CLOSED_ROUTES.get(combination.route, ())
    return (*by_route, *CLOSED_STATES.get(combination.state, ()), *implementations)


def is_right(result: Mapping[str, Any], members: Sequence[str], functions: Sequence[str]) -> bool:
    """Return whether a cell ended as it must.

    Args:
        result: What `process.py` says of the cell.
        members: The operators of its family.
        functions: The functions, classes and modules in Python of its family.
    """
    cell = Combination(**result["cell"])
    if cell.route in PASSING:
        return bool(result["status"] == 0 and not result["report"])
    if any(text in result["output"] for text in UNSUPPORTED.get(cell.state, ())):
        return result["status"] == 3
    if result["status"] != 86 or not result["report"]:
        return False
    operator: str = result["report"][0]["operator"]
    if any(fnmatch.fnmatchcase(operator, name) for name in closed_names(cell)):
        return True
    # A closed class or module names the function of it that was called.
    is_function = any(f"{operator}.".startswith(f"{each}.") for each in functions)
    # These families have no members: any operator is refused.
    return cell.family in (RECORDING, EVERY) or operator in members or is_function


def combinations(samples: Samples) -> Iterator[Combination]:
    """Yield the whole product, without what makes no sense.

    Each overload of a family is called once in the plain state; for everything else the samples
    take turns, so that each state meets others.
    """
    for family, routes in samples.items():
        for route in ROUTES:
            given = routes.get(route, ())
            if not given:
                continue
            for number, state in enumerate(STATES):
                if senseless(family, route, state) is None:
                    turn = _turn(family, route, number) % len(given)
                    yield Combination(family=family, route=route, state=state, sample=turn)
        for number in range(len(routes.get("overload", ()))):
            if number == _turn(family, "overload", 0) % len(routes["overload"]):
                continue
            yield Combination(family=family, route="overload", state="plain", sample=number)


def chosen(every: Sequence[Combination]) -> list[Combination]:
    """Choose a part that never changes: each family by each route and in each state."""
    cells = sorted(every, key=lambda each: zlib.crc32(str(each).encode()))
    seen: set[tuple[str, str]] = set()
    kept = []
    for cell in cells:
        pairs = {(cell.family, cell.route), (cell.family, cell.state)}
        if not pairs <= seen:
            seen |= pairs
            kept.append(cell)
    return kept


def skipped(samples: Samples) -> Counter[str]:
    """Count the combinations that are left out by a rule, by its reason."""
    return Counter(
        reason
        for family, routes in samples.items()
        for route in ROUTES
        if routes.get(route)
        for state in STATES
        if (reason := senseless(family, route, state)) is not None
    )


def without_samples(samples: Samples) -> dict[str, list[str]]:
    """Return the routes by which torch has no member of a family, by family."""
    found = {
        family: [route for route in ROUTES if not routes.get(route)]
        for family, routes in samples.items()
    }
    return {family: routes for family, routes in found.items() if routes}


def _turn(family: str, route: str, number: int) -> int:
    return zlib.crc32(f"{family} {route}".encode()) + number
