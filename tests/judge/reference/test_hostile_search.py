"""Mutated answers of every problem: whatever a process answers, the reference grades it."""

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.judge.reference.hostile import (
    FOLDERS,
    Tally,
    judge_problem,
    targets_of,
)
from torchstone.bank.loader import CONTENT
from torchstone.judge.child.protocol import wire
from torchstone.judge.kit import Finding, Holds, grade, numbers
from torchstone.judge.kit.forms import COUNT, VALUE, brief, equal
from torchstone.judge.reference import server
from torchstone.judge.reference.alike import _alike

pytestmark = [
    pytest.mark.torch,
    pytest.mark.full,
]

ANSWERS = 100_000
RNN = CONTENT / "problems/09_simple_rnn"


def search(folder: Path, num_answers: int, seed: int) -> Tally:
    with warnings.catch_warnings():
        # In the sandbox a warning goes to the output of the reference process.
        warnings.simplefilter("ignore")
        return judge_problem(folder, num_answers, seed)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_mutated_answer_raises_in_the_reference(folder: Path) -> None:
    tally = search(folder, -(-ANSWERS // len(FOLDERS)), seed=7)
    assert not tally.failures, "\n".join(f"{name}: {said}" for name, said in tally.failures.items())
    assert "IE" not in tally.codes
    # Many reach the grade: the search is no search of the decoder alone.
    assert tally.codes["WA"] + tally.codes["AC"] + tally.codes["SLOW"] > tally.num_answers / 5


def test_the_search_is_the_same_for_the_same_seed() -> None:
    first, second, other = (search(RNN, 200, seed) for seed in (3, 3, 4))
    assert first.codes == second.codes
    assert first.codes != other.codes


def test_the_search_finds_a_predicate_that_expects_too_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unchecked(key: str, holds: Holds, got: Any) -> Iterator[Finding]:
        if not holds.predicate(got):
            yield Finding(code="WA", aspect=holds.aspect, key=key)

    # The package has a function of the module's name.
    monkeypatch.setattr(sys.modules["torchstone.judge.kit.grade"], "_holds", unchecked)
    tally = search(RNN, 4_000, seed=7)
    assert any("TypeError" in name and "oracle.py" in name for name in tally.failures)


# --- the growth of problem 09 ---------------------------------------------------------------------


def growth() -> server.JobState:
    state = next(
        target.state for target in targets_of(RNN, 7) if "operators" in json.loads(target.tree)["d"]
    )
    planned = state.plan[0]
    state.made[0] = state.code.build(planned)
    return state


@pytest.mark.parametrize(
    "odd",
    [
        [65, None],
        [None, 65],
        [10**400, 10**400],
        [65, 10**400],
        [float("nan"), 1],
        [True, 1],
        ["65", "66"],
        [torch.zeros(3), torch.zeros(3)],
        torch.zeros(3),
        [65],
        [65, 66, 67],
        (65, 66),
        {"0": 65},
        None,
    ],
    ids=brief,
)
def test_a_measurement_in_another_form_is_a_runtime_error_that_names_it(odd: Any) -> None:
    state = growth()
    _, tree, _, *blobs = wire.pack(b"A", {"elements": [64, 65], "operators": odd})
    answers = server.read_answers([wire.Frame(kind=b"A", tree=tree, blobs=blobs)])
    graded = server._grade(state, 0, answers)
    assert (graded.code, graded.aspect) == ("RTE", None)
    (finding,) = graded.findings
    assert finding.key == "operators"
    for words in finding.detail.values():
        assert words.startswith("operators")
        assert brief(odd) in words
        assert "2" in words


def test_a_measurement_in_its_form_is_judged_as_before() -> None:
    for steps, code in (([64, 65], "AC"), ([64, 64 * 6], "WA"), ([0, 1], "WA")):
        state = growth()
        assert server._grade(state, 0, [{"elements": [64, 65], "operators": steps}]).code == code


# --- whose fault it is ----------------------------------------------------------------------------


def test_a_predicate_that_raises_on_a_value_of_its_form_is_a_fault_of_the_judge() -> None:
    broken = Holds(lambda got: bool(1 / 0), {"en": "x", "zh": "x"}, takes=COUNT)
    with pytest.raises(ZeroDivisionError):
        grade({"calls": broken}, {"calls": 3})
    assert grade({"calls": broken}, {"calls": None}).findings[0].code == "RTE"


def test_forms_accept_what_they_say_and_nothing_else() -> None:
    assert numbers(2).fits([1, 2.5])
    assert COUNT.fits(0)
    assert not COUNT.fits(True)
    assert not COUNT.fits(1 << 63)
    assert VALUE.fits({"a": [torch.zeros(2), (None, "x", 1.5)]})
    quantized = torch.quantize_per_tensor(torch.zeros(2), 0.1, 0, torch.quint8)
    assert not VALUE.fits([quantized])
    assert not VALUE.fits([[10**400]])


def test_any_value_is_named_in_a_few_characters() -> None:
    flat = torch.zeros(8, dtype=torch.uint8).untyped_storage()
    bits = torch.empty(0, dtype=torch.bits8).set_(flat, 0, (2,), (1,))  # type: ignore[attr-defined]
    assert brief([bits, 10**5000]) == "[tensor bits8 (2,), an integer of 16610 bits]"
    assert brief({"a": (1,), "b": "x"}) == "{'a': (1,), 'b': 'x'}"
    assert brief((1, [2.5, None])) == repr((1, [2.5, None]))
    assert len(brief([[0] * 100] * 100)) == 80
    assert len(brief("x" * 10**6)) == 80


def test_what_torch_cannot_compare_equals_nothing() -> None:
    flat = torch.zeros(8, dtype=torch.uint8).untyped_storage()
    for dtype in (torch.bits16, torch.quint8, torch.int4):  # type: ignore[attr-defined]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            odd = torch.empty(0, dtype=dtype).set_(flat, 0, (2,), (1,))
        assert not equal([odd], [odd])


def test_a_hundred_million_places_over_one_number_are_not_compared() -> None:
    wide = torch.ones(()).expand(1 << 27)
    assert not _alike(None, wide, wide)
    assert _alike(None, wide[:5], wide[:5])
