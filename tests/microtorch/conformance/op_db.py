"""Drive PyTorch's own samples of its operations against MicroTorch.

The samples are those by which PyTorch tests itself (``op_db`` of the installed version); names and
arguments are PyTorch's, without adapters. For each entry: every float32 and float64 sample's
values, dtype and shape, its gradients in float64, and the class of error that bad inputs raise.

Usage: ``python -m tests.microtorch.conformance.op_db [NAME ...] [-v]``
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

import torchstone.microtorch as micro
from tests.microtorch.conformance.convert import (
    Missing,
    Unaskable,
    difference,
    is_as_exact,
    leaves,
    to_array,
    to_micro,
    translate,
    tree_tensors,
)

# Their factors are unique but for signs and phases, which each library chooses by itself: what is
# compared is what PyTorch's own tests compare, ``output_process_fn_grad``.
UNIQUE_BUT_FOR_SIGNS = ("svd", "linalg.svd", "linalg.eigh", "linalg.eig")
# What is in memory that nobody has written is nothing to compare.
UNSET = ("empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided")
MAX_COMPLAINTS = 3
SECOND_EVERY = 3


@dataclass
class Entry:
    """What became of an entry.

    Attributes:
        name: Its name, with that of the variant.
        samples: How many samples it has, of both types.
        passed: How many agree.
        errors: How many bad inputs it has.
        raised: For how many of them the right class of error is raised.
        complaints: The first differences.
    """

    name: str
    samples: int = 0
    passed: int = 0
    errors: int = 0
    raised: int = 0
    is_there: bool = True
    complaints: list[str] = field(default_factory=list)

    @property
    def is_full(self) -> bool:
        """Whether every sample agrees and every bad input is refused."""
        return self.is_there and self.agrees and self.raised == self.errors

    @property
    def agrees(self) -> bool:
        """Whether every sample agrees."""
        return self.is_there and self.samples > 0 and self.passed == self.samples

    def complain(self, what: str) -> None:
        """Note a difference."""
        if len(self.complaints) < MAX_COMPLAINTS:
            self.complaints.append(what[:300])


def entries() -> Iterator[Any]:
    """Yield the entries that have float32: the denominator."""
    for info in op_db:
        if torch.float32 in info.dtypes:
            yield info


def full_name(info: Any) -> str:
    """Name an entry and its variant."""
    return f"{info.name}:{info.variant_test_name}" if info.variant_test_name else info.name


def drive(info: Any) -> Entry:
    """Try one entry."""
    entry = Entry(name=full_name(info))
    try:
        ours = translate(info.op, info.name)
    except Missing as missing:
        entry.is_there = False
        entry.complain(f"no {missing}")
        return entry
    for dtype in (torch.float32, torch.float64):
        if dtype not in info.dtypes:
            continue
        has_gradients = info.supports_autograd and dtype == torch.float64
        torch.manual_seed(0)
        samples = info.sample_inputs("cpu", dtype, requires_grad=has_gradients)
        for number, sample in enumerate(samples):
            entry.samples += 1
            # The second derivatives of some samples, the first among them: they cost as much again.
            is_second = info.supports_gradgrad and number % SECOND_EVERY == 0
            found = _guarded(
                lambda s=sample, g=has_gradients, o=is_second: _compare(info, ours, s, g, o)
            )
            if found is None:
                entry.passed += 1
            else:
                entry.complain(f"{dtype} {_describe(sample)}: {found}")
    _drive_errors(info, ours, entry)
    return entry


def _guarded(run: Callable[[], str | None]) -> str | None:
    try:
        return run()
    except Missing as missing:
        return f"no {missing}"
    except Exception as error:  # noqa: BLE001 - what the code under test raises is its result
        return f"{type(error).__name__}: {error}"


def _describe(sample: Any) -> str:
    def short(value: Any) -> str:
        if isinstance(value, torch.Tensor):
            return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
        if isinstance(value, list | tuple):
            return f"[{', '.join(short(each) for each in value)}]"
        return repr(value)

    keywords = [f"{key}={short(value)}" for key, value in sample.kwargs.items()]
    return f"({', '.join([short(sample.input), *map(short, sample.args), *keywords])})"


def _compare(
    info: Any, ours: Callable[..., Any], sample: Any, has_gradients: bool, is_second: bool
) -> str | None:
    given = to_micro((sample.input, tuple(sample.args), dict(sample.kwargs)))
    torch.manual_seed(0)
    wanted = info.op(sample.input, *sample.args, **sample.kwargs)
    micro.manual_seed(0)
    got = ours(given[0], *given[1], **given[2])
    if info.name in UNSET:
        np.copyto(got.array, to_array(wanted), casting="no")
    if info.name in UNIQUE_BUT_FOR_SIGNS:
        process = sample.output_process_fn_grad
        found = difference(process(got), process(wanted))
    else:
        found = difference(got, wanted)
    if found is not None and _is_as_exact(info, sample, got, wanted):
        found = None
    if found is not None or not has_gradients:
        return found
    return _compare_gradients(sample, given, got, wanted, is_second)


def _is_as_exact(info: Any, sample: Any, got: Any, wanted: Any) -> bool:
    def doubled(value: Any) -> Any:
        is_single = isinstance(value, torch.Tensor) and value.dtype == torch.float32
        return value.double() if is_single else value

    if torch.float64 not in info.dtypes or len(leaves(got)) != len(leaves(wanted)):
        return False
    given = (sample.input, tuple(sample.args), dict(sample.kwargs))
    first, args, keywords = pytree.tree_map(doubled, given)
    torch.manual_seed(0)
    return is_as_exact(got, wanted, info.op(first, *args, **keywords))


def _compare_gradients(
    sample: Any, given: Any, got: Any, wanted: Any, is_second: bool
) -> str | None:
    theirs_in = tree_tensors((sample.input, sample.args, sample.kwargs))
    ours_in = tree_tensors(given)
    process = sample.output_process_fn_grad
    pairs = [
        (mine, other)
        for mine, other in zip(leaves(process(got)), leaves(process(wanted)), strict=True)
        if isinstance(other, torch.Tensor) and other.requires_grad
    ]
    places = [place for place, each in enumerate(theirs_in) if each.requires_grad]
    if not pairs or not places:
        return None
    for mine, _ in pairs:
        if not mine.requires_grad:
            return "the result does not require a gradient"
    grads = [torch.randn_like(other) for _, other in pairs]
    theirs_of, ours_of = [theirs_in[p] for p in places], [ours_in[p] for p in places]
    theirs = torch.autograd.grad(
        [other for _, other in pairs], theirs_of, grads, allow_unused=True, create_graph=is_second
    )
    mine = micro.autograd.grad(
        [mine for mine, _ in pairs],
        ours_of,
        [micro.from_numpy(to_array(each)) for each in grads],
        allow_unused=True,
        create_graph=is_second,
    )
    found = _compare_each("gradient", mine, theirs)
    if found is not None or not is_second:
        return found
    return _compare_second(mine, theirs, ours_of, theirs_of)


def _compare_second(mine: Any, theirs: Any, ours_of: Any, theirs_of: Any) -> str | None:
    """Differentiate the gradients once more."""
    pairs = [
        (one, other)
        for one, other in zip(mine, theirs, strict=True)
        if other is not None and other.requires_grad
    ]
    if not pairs:
        return None
    weights = [torch.randn_like(other) for _, other in pairs]
    try:
        second = torch.autograd.grad(
            [other for _, other in pairs], theirs_of, weights, allow_unused=True
        )
    except RuntimeError:
        # For some options PyTorch itself has no second derivative.
        return None
    # PyTorch also records what does not vary, with second derivatives of zero.
    varying = [
        (one, weight)
        for (one, _), weight in zip(pairs, weights, strict=True)
        if one is not None and one.requires_grad
    ]
    ours = [None] * len(ours_of)
    if varying:
        ours = micro.autograd.grad(
            [one for one, _ in varying],
            ours_of,
            [micro.from_numpy(to_array(weight)) for _, weight in varying],
            allow_unused=True,
        )
    return _compare_each("second gradient", ours, second)


def _compare_each(what: str, ours: Any, theirs: Any) -> str | None:
    for place, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        if (mine is None) != (other is None):
            # A gradient of zeros says the same as none.
            some = mine.array if mine is not None else to_array(other)
            if np.any(some):
                return f"{what} {place}: {mine is not None}, wanted {other is not None}"
        elif other is not None:
            found = difference(mine, other)
            if found is not None:
                return f"{what} {place}: {found}"
    return None


def _drive_errors(info: Any, ours: Callable[..., Any], entry: Entry) -> None:
    if info.error_inputs_func is None:
        return
    for case in info.error_inputs("cpu"):
        sample = case.sample_input
        try:
            given = to_micro((sample.input, tuple(sample.args), dict(sample.kwargs)))
        except Unaskable:
            continue
        except Missing as missing:
            entry.errors += 1
            entry.complain(f"error input: no {missing}")
            continue
        entry.errors += 1
        try:
            ours(given[0], *given[1], **given[2])
        except Missing as missing:
            entry.complain(f"error input: no {missing}")
        except Exception as error:  # noqa: BLE001 - the class of the error is what is tested
            wanted = case.error_type
            if isinstance(error, wanted):
                entry.raised += 1
            else:
                entry.complain(
                    f"error input {_describe(sample)}: {type(error).__name__}: {error}, "
                    f"wanted {wanted}"
                )
        else:
            entry.complain(
                f"error input {_describe(sample)}: nothing raised, wanted {case.error_type} "
                f"{case.error_regex}"
            )


def run(
    suite: str,
    infos: Iterable[Any],
    drive: Callable[[Any], Entry],
    names_of: Callable[[Any], Sequence[str]],
) -> int:
    """Drive the entries that the command line names, or all, and print what became of them.

    Args:
        suite: The name of the suite.
        infos: Its entries.
        drive: Tries one.
        names_of: Gives the names that an entry goes by.

    Returns:
        The exit status, as ``conclude`` gives it.
    """
    parser = argparse.ArgumentParser(description=f"Drive {suite} against MicroTorch.")
    parser.add_argument("names", nargs="*", help="names of entries; a prefix ends in *")
    parser.add_argument("-v", "--verbose", action="store_true", help="say what differs")
    parser.add_argument("--json", metavar="FILE", help="write the results there")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    results, began, unknown = [], time.monotonic(), set(arguments.names)
    for info in infos:
        meant = {each for each in arguments.names if _is_meant(each, names_of(info))}
        if arguments.names and not meant:
            continue
        unknown -= meant
        entry = drive(info)
        results.append(entry)
        if arguments.names or arguments.verbose:
            mark = "ok  " if entry.is_full else "FAIL" if entry.is_there else "none"
            print(
                f"{mark} {entry.name}: {entry.passed}/{entry.samples}, "
                f"errors {entry.raised}/{entry.errors}"
            )
            for complaint in entry.complaints if arguments.verbose else ():
                print(f"       {complaint}")
    print(
        f"{sum(each.is_full for each in results)} full, {sum(each.agrees for each in results)} "
        f"agree, {sum(each.is_there for each in results)} there, of {len(results)}; "
        f"{sum(each.passed for each in results)} samples; {time.monotonic() - began:.0f} s"
    )
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump([asdict(each) for each in results], file)
    return conclude(suite, results, unknown)


def _is_meant(given: str, names: Sequence[str]) -> bool:
    if given.endswith("*"):
        return any(name.startswith(given[:-1]) for name in names)
    return given in names


def conclude(suite: str, results: Iterable[Any], unknown: Iterable[str]) -> int:
    """Name in one line what does not pass and what the suite does not have.

    Returns:
        The exit status: 2 for a name that the suite does not have, 1 for an entry that does not
        pass in full, 0 otherwise.
    """
    lost = [entry.name for entry in results if not entry.is_full]
    unknown = sorted(unknown)
    parts = [
        f"{what}: {', '.join(names)}"
        for what, names in (("does not pass", lost), (f"not in {suite}", unknown))
        if names
    ]
    if parts:
        sys.stderr.write("; ".join(parts) + "\n")
    return 2 if unknown else int(bool(lost))


def main() -> int:
    """Drive the entries that the command line names, or all."""
    return run("op_db", entries(), drive, lambda info: (full_name(info), info.name))


if __name__ == "__main__":
    sys.exit(main())
