"""Symptoms of conditions: what distinguishes wrong cases from right ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

import torch

from torchstone.judge.kit.forms import name_of
from torchstone.judge.reference.symptoms.arguments import collect_leaves
from torchstone.judge.reference.symptoms.evidence import (
    Label,
    label,
    order_of,
    step_of,
    tensors_of,
)
from torchstone.judge.reference.symptoms.places import EXACT
from torchstone.judge.reference.trials import Trial, wants_of

MULTIPLES = (1024, 512, 256, 128, 64, 32, 16, 8, 4, 2)
# Minimum number of wrong cases in which a result must be right to be reported so.
MANY = 3
# Special values, the rarest first: a case with NaN usually has zeros as well.
RARE_FIRST = ("NaN", "inf", "> 2**24", "> 88", "0")
# Parameters that are no conditions of a case.
NOT_CONDITIONS = frozenset({"seed", "parts", "kind", "group", "again", "wanted"})


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that every wrong case meets, and its probability by chance."""

    said: Label
    chance: float
    is_exact: bool


def find_conditions(trials: Sequence[Trial]) -> list[Condition]:
    """Return the conditions that separate wrong cases from right ones, the least likely first."""
    # Other entries of a case's record are internal to the judge.
    names = {name for trial in trials for name in trial.params} - NOT_CONDITIONS
    wrong = [set(_features(trial, names)) for trial in trials if trial.is_wrong]
    right = [set(_features(trial, names)) for trial in trials if not trial.is_wrong]
    if not wrong or len(right) < 2:
        return []
    common = set.intersection(*wrong)
    if len(wrong) == 1:
        # A size in a single wrong case usually occurs in no other case.
        common = {said for said in common if not dict(said[1]).get("value", "").isdigit()}
    found = [
        condition
        for said in sorted(common)
        if said[0] != "known" and (condition := _weigh(said, len(wrong), right)) is not None
    ]
    found += _thresholds(trials)
    # Among equal ones an input's property tells more than the name of a drawn parameter.
    order = {"dtype": 0, "argument": 1, "parameter": 3}
    return sorted(
        found,
        key=lambda each: (
            not each.is_exact,
            each.chance,
            order.get(each.said[0], 2),
            _rarity(each.said),
            each.said,
        ),
    )


def _rarity(said: Label) -> int:
    value = dict(said[1]).get("value", "")
    return RARE_FIRST.index(value) if said[0] == "holds" and value in RARE_FIRST else 0


def _weigh(said: Label, num_wrong: int, right: list[set[Label]]) -> Condition | None:
    """Return a condition that all wrong cases meet, unless chance explains it."""
    # Right cases without the argument are no evidence about it.
    comparable = [each for each in right if _subject(said) in map(_subject, each)]
    num_right = sum(said in each for each in comparable)
    if len(comparable) - num_right < 2:
        return None
    chance: float = ((num_wrong + num_right) / (num_wrong + len(comparable))) ** num_wrong
    if num_right:
        is_rare = said[0] not in ("not_multiple", "not_power", "size_one", "ndim")
        if is_rare and num_wrong >= num_right and num_wrong > 1 and chance <= 0.002:
            return Condition(said, chance, False)
        return None
    limit = 0.001 if said[0] in ("not_multiple", "not_power", "ndim") else 0.02
    return Condition(said, chance, True) if chance <= limit else None


def _subject(said: Label) -> str:
    """Return the argument that a condition is about."""
    values = dict(said[1])
    name = values.get("input") or values.get("name", "").partition(".")[0]
    return name


def _features(trial: Trial, names: Set[str]) -> Iterator[Label]:
    tensors = dict(tensors_of(trial.case))
    arguments = trial.case.inputs
    data = trial.case.steps[0].data
    for place in (arguments, data.get("kwargs"), data.get("init_kwargs"), data.get("values")):
        for name, item in place.items() if isinstance(place, dict) else ():
            if isinstance(item, torch.dtype):
                yield label("argument", name=name, value=name_of(item))
            elif item is None or type(item) is bool or _is_choice(item):
                yield label("argument", name=name, value=item)
            if type(item) is int:
                yield from _of_number(str(name), item)
            yield label("known", name=name)
    # The case's record has defaults; parameters list only what differs from them.
    made: dict[str, object] = dict(trial.params)
    collect_leaves(trial.case.secret, made, 0)
    for name, value in made.items():
        if name in names and name not in arguments and _is_named(value):
            yield label("parameter", name=name, value=value)
            yield label("known", name=name)
    yield label("known", name="")
    if trial.is_again:
        yield label("again")
    for name, item in tensors.items():
        yield from _of_tensor(name, item)


def _is_named(item: object) -> bool:
    """Return whether a value is a flag or a short name."""
    return type(item) is bool or (type(item) is str and len(item) <= 24)


def _is_choice(item: object) -> bool:
    """Return whether a value is one of a few, such as a mode or a dimension, and no size."""
    if type(item) is int:
        return -8 <= item <= 8
    return type(item) is str and len(item) <= 24


def _of_number(name: str, number: int) -> Iterator[Label]:
    for block in MULTIPLES:
        if number % block:
            yield label("not_multiple", name=name, block=block)
    if number > 0 and number & (number - 1):
        yield label("not_power", name=name)


def _of_tensor(name: str, item: torch.Tensor) -> Iterator[Label]:
    yield label("dtype", input=name, dtype=name_of(item.dtype))
    yield label("known", name=name)
    if item.dtype in (torch.float16, torch.bfloat16):
        yield label("half", input=name)
    yield label("ndim", input=name, ndim=item.ndim)
    if not item.numel():
        yield label("empty", input=name)
        return
    if not item.is_contiguous():
        yield label("layout", input=name)
    if any(
        stride == 0 and size > 1 for stride, size in zip(item.stride(), item.shape, strict=True)
    ):
        yield label("expanded", input=name)
    if item.storage_offset():
        yield label("storage_offset", input=name)
    for dim, size in enumerate(item.shape):
        if size == 1:
            yield label("size_one", input=name, dim=dim)
        yield from _of_number(f"{name}.shape[{dim}]", size)
    if item.dtype.is_floating_point:
        yield from _of_values(name, item)


def _of_values(name: str, item: torch.Tensor) -> Iterator[Label]:
    if item.isnan().any():
        yield label("holds", input=name, value="NaN")
    if item.isinf().any():
        yield label("holds", input=name, value="inf")
    finite = item[item.isfinite()]
    if not finite.numel():
        return
    largest = float(finite.detach().abs().amax())
    if (finite == 0).any():
        yield label("holds", input=name, value="0")
    if largest > EXACT:
        yield label("holds", input=name, value="> 2**24")
    if largest > 88:
        yield label("holds", input=name, value="> 88")
    if largest < 1e-3:
        yield label("holds_only", input=name, value="< 0.001")
    if item.numel() > 1 and bool((finite == finite.reshape(-1)[0]).all()):
        yield label("all_equal", input=name)


def _thresholds(trials: Sequence[Trial]) -> Iterator[Condition]:
    """Yield the sizes that are larger, or smaller, in all wrong cases than in all right ones."""
    wrong = [_sizes(trial) for trial in trials if trial.is_wrong]
    right = [_sizes(trial) for trial in trials if not trial.is_wrong]
    for name in set.intersection(*map(set, wrong)) if wrong else ():
        inside = [sizes[name] for sizes in wrong]
        others = [sizes[name] for sizes in right if name in sizes]
        if len(others) < 3 or len(inside) < 2:
            continue
        chance = _odds(len(inside), len(others))
        if chance > 0.02:
            continue
        if min(inside) > max(others):
            said = label("at_least", name=name, size=min(inside), right=max(others))
            yield Condition(said, chance, True)
        elif max(inside) < min(others):
            said = label("at_most", name=name, size=max(inside), right=min(others))
            yield Condition(said, chance, True)


def _odds(num_wrong: int, num_right: int) -> float:
    """Return the probability that the wrong cases are the largest ones by chance."""
    odds = 1.0
    for number in range(num_wrong):
        odds *= (number + 1) / (num_right + number + 1)
    return odds


def _sizes(trial: Trial) -> dict[str, int]:
    found: dict[str, int] = {}
    for name, item in tensors_of(trial.case):
        found[f"{name}.numel()"] = item.numel()
        found |= {f"{name}.shape[{dim}]": size for dim, size in enumerate(item.shape)}
    data = trial.case.steps[0].data
    values = data.get("values")
    for name, item in values.items() if isinstance(values, dict) else ():
        if type(item) is int:
            found[name] = item
    return found


def find_outputs(trials: Sequence[Trial]) -> list[Label]:
    """Return statements about results that are wrong while others of the same call are right."""
    bad: set[str] = set()
    good: set[str] | None = None
    later, orders = True, True
    for trial in trials:
        if not trial.is_wrong:
            continue
        wants = {key for key, _ in wants_of(trial.expected)}
        keys = {finding.key for finding in trial.findings}
        if not keys <= wants or not all(key in trial.answer for key in keys):
            return []
        names = {_kind_of(key) for key in keys}
        bad |= names
        right = {_kind_of(key) for key in wants - keys if key in trial.answer} - names
        good = right if good is None else good & right
        later = later and _is_later(keys, wants)
        orders = orders and _is_of_orders(keys, wants)
    found = []
    if good and bad and bad <= _GRADIENTS and not good & _GRADIENTS:
        found.append(label("only_gradients"))
    elif good and bad and not good & bad and len(bad) <= 3:
        found.append(label("only_results", wrong=_listed(bad), right=_listed(good)))
    else:
        found += _find_single(trials)
    if bad and later:
        found.append(label("later_step"))
    if bad and orders:
        found.append(label("thread_order"))
    return found


def _find_single(trials: Sequence[Trial]) -> list[Label]:
    """Return a statement about results that are right in the wrong cases, by single gradient."""
    bad: set[str] = set()
    good: Counter[str] = Counter()
    for trial in trials:
        keys = {finding.key for finding in trial.findings}
        wants = {key for key, _ in wants_of(trial.expected) if key in trial.answer}
        bad |= {key.rpartition(":")[2] for key in keys}
        good.update({key.rpartition(":")[2] for key in wants - keys} if keys else ())
    right = [name for name in good if name not in bad and good[name] >= MANY]
    if not right:
        return []
    most = sorted(right, key=lambda name: (-good[name], name))[:3]
    return [label("still_right", right=_listed(set(most)))]


_GRADIENTS = {"the gradients", "the second gradients"}


def _kind_of(key: str) -> str:
    """Return the kind of a result's name; gradients of all arguments are one kind."""
    name = key.rpartition(":")[2]
    if name.startswith("second."):
        return "the second gradients"
    return "the gradients" if name.startswith("grad.") else name


def _is_later(keys: set[str], wants: set[str]) -> bool:
    """Return whether only later steps are wrong, for results that are right in the first."""
    first = {key.rpartition(":")[2] for key in wants if step_of(key) == 0 and key not in keys}
    return all(step_of(key) > 0 and key.rpartition(":")[2] in first for key in keys)


def _is_of_orders(keys: set[str], wants: set[str]) -> bool:
    """Return whether the result is right in another thread order."""
    return all(
        order_of(key)
        and any(
            key.replace(order_of(key), other) in wants - keys
            for other in ("ascending", "descending", "random")
        )
        for key in keys
    )


def _listed(names: set[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names)[:4])
