"""Attribution of device time to operators with known work, each microsecond once.

A kernel is attributed to the innermost operator with a model around its launch call; if the call is
unknown, around the operator with its ``External id``. An operator that only delegates to others
with a model, such as ``clone`` to ``copy_``, gets no time: its own kernels would seem infinitely
fast. Without a device, the self time of an operator takes the place of a kernel; that of views and
of autograd wrappers is ``overhead``, which is excluded from the roofline.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from torchstone.doctor.correlate import Launches, enclosing, nesting
from torchstone.doctor.events import NONE, Bools, Events, Floats, Ints
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.read.kinds import Kind
from torchstone.doctor.roofline import updating
from torchstone.doctor.roofline.kernels import uses_tensor_cores
from torchstone.doctor.roofline.shapes import VIEWS, is_known, listed_type, work_of
from torchstone.doctor.roofline.work import Work

# Operators on tensor lists, whose dtypes are missing in a trace.
_LISTED = updating.MODELS.keys() | {"aten::cat"}
_OVERHEAD = re.compile(
    r"^(autograd::engine::|torch::autograd::|torch\.|Optimizer\.)|Backward\d*$"
    r"|^aten::(to|_to_copy|clone|contiguous|reshape|linear|matmul|einsum|softmax|log_softmax|zeros"
    r"|ones|full|zeros_like|ones_like|rand|randn|randint|arange|layer_norm|batch_norm|group_norm"
    r"|_batch_norm_impl_index|scaled_dot_product_attention|cross_entropy_loss|nll_loss(_nd)?"
    r"|dropout|stack|conv[123]d|_?convolution|max_pool2d|embedding_backward|type_as|pad|repeat)$"
)
# An outer operator delegates if inner ones do at least this share of its work.
_PASSED_ON = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Charges:
    """Attribution of time for a whole trace.

    Attributes:
        units: Rows of the timed units: kernels, or operators without a device.
        time: Microseconds of each unit.
        owner: For each unit the row of its operator, or ``NONE``.
        is_overhead: Whether a unit is excluded from the roofline.
        work_of: For every event, its index in ``works``, or ``NONE``.
        works: Distinct works.
        is_tensor: Whether a unit is a kernel whose name indicates tensor cores.
    """

    units: Ints
    time: Floats
    owner: Ints
    is_overhead: Bools
    work_of: Ints
    works: list[Work]
    is_tensor: Bools


def charge(events: Events, launches: Launches) -> Charges:
    """Attribute the time of a trace to operators."""
    operators = events.of(Kind.OPERATOR)
    work_of, works, pending = _works(events, operators)
    modelled = operators[(work_of[operators] != NONE) | pending[operators]]
    units = events.of(Kind.KERNEL)
    has_device = len(units) > 0
    if has_device:
        time = events.t1[units] - events.t0[units]
        owner = _owners(events, launches, units, modelled)
        is_overhead = np.zeros(len(units), dtype=np.bool_)
        _resolve(events, units, owner, work_of, works)
    else:
        units, time = _alone(events, operators)
        owner = enclosing(events, units, modelled)
        is_overhead = _named(events, units, lambda name: name in VIEWS or _is_overhead(name))
        is_overhead &= owner != units
    is_composite = _passing_on(events, modelled[work_of[modelled] != NONE], work_of, works)
    lost = (owner != NONE) & ((work_of[owner] == NONE) | is_composite[owner])
    if not has_device:
        is_overhead |= (owner != NONE) & is_composite[owner]
    owner[lost | is_overhead] = NONE
    is_tensor = _named(events, units, uses_tensor_cores)
    return Charges(
        units=units,
        time=time,
        owner=owner,
        is_overhead=is_overhead,
        work_of=work_of,
        works=works,
        is_tensor=is_tensor,
    )


def _is_overhead(name: str) -> bool:
    return _OVERHEAD.search(name) is not None


def _named(events: Events, rows: Ints, is_so: Callable[[str], bool]) -> Bools:
    """Return which rows have a matching name; each distinct name is tested once."""
    if not len(rows):
        return np.zeros(0, dtype=np.bool_)
    used, back = np.unique(events.name[rows], return_inverse=True)
    return np.array([is_so(events.names[int(name)]) for name in used], dtype=np.bool_)[back]


def _works(events: Events, operators: Ints) -> tuple[Ints, list[Work], Bools]:
    """Return the work of each operator, and which operators need the dtype of a list."""
    of_row = np.full(len(events), NONE, dtype=np.int64)
    pending = np.zeros(len(events), dtype=np.bool_)
    rows = operators[_named(events, operators, _may_have_work)]
    rows = rows[events.shapes[rows] != NONE]
    works: list[Work] = []
    for name, signature, same in _alike(events, rows):
        if name in _LISTED:
            pending[same] = True
            continue
        found = work_of(name, events.signatures[signature])
        if found is not None:
            of_row[same] = len(works)
            works.append(found)
    return of_row, works, pending


def _may_have_work(name: str) -> bool:
    return name not in VIEWS and is_known(name)


def _alike(events: Events, rows: Ints) -> Iterator[tuple[str, int, Ints]]:
    """Yield the rows with equal name and shapes, with the name and the index of the shapes."""
    keys = events.name[rows].astype(np.int64) * (len(events.signatures) + 1) + events.shapes[rows]
    order = np.argsort(keys, kind="stable")
    begins = np.flatnonzero(np.diff(keys[order], prepend=-1))
    for same in np.split(rows[order], begins[1:]) if len(rows) else ():
        first = int(same[0])
        yield events.names[int(events.name[first])], int(events.shapes[first]), same


def _owners(events: Events, launches: Launches, kernels: Ints, modelled: Ints) -> Ints:
    """Return for each kernel the innermost operator with a model around its launch."""
    calls = launches.call_of[kernels]
    lost = np.flatnonzero(calls == NONE)
    calls[lost] = _of_external(events, kernels[lost])
    owner = np.full(len(kernels), NONE, dtype=np.int64)
    is_known = calls != NONE
    ordered, back = np.unique(calls[is_known], return_inverse=True)
    owner[is_known] = enclosing(events, ordered, modelled)[back]
    return owner


def _of_external(events: Events, kernels: Ints) -> Ints:
    """Return for each kernel the call, or else the operator, with its external id."""
    calls = _with_number(events, kernels, events.of(Kind.LAUNCH))
    # Some recorders number calls and kernels separately from operators: calls take precedence.
    found = _with_number(events, kernels, events.of(Kind.OPERATOR))
    return np.where(calls == NONE, found, calls)


def _with_number(events: Events, kernels: Ints, rows: Ints) -> Ints:
    found = np.full(len(kernels), NONE, dtype=np.int64)
    rows = rows[events.external[rows] > 0]
    if not len(rows):
        return found
    numbers, first = np.unique(events.external[rows], return_index=True)
    wanted = events.external[kernels]
    at = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
    is_there = numbers[at] == wanted
    found[is_there] = rows[first[at[is_there]]]
    return found


def _resolve(
    events: Events, kernels: Ints, owner: Ints, work_of_row: Ints, works: list[Work]
) -> None:
    """Determine the work of operators on lists, whose dtype is part of the kernel names."""
    owned = np.flatnonzero(owner != NONE)
    owned = owned[work_of_row[owner[owned]] == NONE]
    for name, signature, same in _alike(events, np.unique(owner[owned])):
        mine = kernels[owned[np.isin(owner[owned], same)]]
        names = {events.names[int(each)] for each in np.unique(events.name[mine])}
        found = work_of(name, events.signatures[signature], listed_type(names))
        if found is not None:
            work_of_row[same] = len(works)
            works.append(found)


def _alone(events: Events, operators: Ints) -> tuple[Ints, Floats]:
    """Return the operators and their self times."""
    loads = events.of(Kind.LOADER)
    loading = Intervals(events.t0[loads], events.t1[loads])
    begins, ends = events.t0[operators], events.t1[operators]
    operators = operators[loading.within(begins, ends) < np.maximum(ends - begins, 1e-9)]
    time = events.t1[operators] - events.t0[operators]
    whole = time.copy()
    for lane in np.unique(events.lane[operators]):
        on = np.flatnonzero(events.lane[operators] == lane)
        parents = nesting(events.t0[operators[on]], events.t1[operators[on]])
        has_parent = parents != NONE
        np.subtract.at(time, on[parents[has_parent]], whole[on[has_parent]])
    return operators, np.maximum(time, 0.0)


def _passing_on(events: Events, rows: Ints, work_of_row: Ints, works: list[Work]) -> Bools:
    """Return for every event whether it is an operator that delegates its work."""
    is_composite = np.zeros(len(events), dtype=np.bool_)
    if not len(rows):
        return is_composite
    flops = np.array([each.flops for each in works], dtype=np.float64)[work_of_row[rows]]
    size = np.array([each.num_bytes for each in works], dtype=np.float64)[work_of_row[rows]]
    inner_flops, inner_size = np.zeros(len(rows)), np.zeros(len(rows))
    for lane in np.unique(events.lane[rows]):
        on = np.flatnonzero(events.lane[rows] == lane)
        parents = nesting(events.t0[rows[on]], events.t1[rows[on]])
        has_parent = parents != NONE
        around = on[parents[has_parent]]
        np.add.at(inner_flops, around, flops[on[has_parent]])
        np.add.at(inner_size, around, size[on[has_parent]])
    by_flops = (flops > 0) & (inner_flops >= _PASSED_ON * flops)
    by_size = (flops == 0) & (size > 0) & (inner_size >= _PASSED_ON * size)
    is_composite[rows[by_flops | by_size]] = True
    return is_composite
