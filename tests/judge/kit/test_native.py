"""What is asked of native code, and how what the simulator wrote is read: with care."""

import json

import pytest
import torch

from torchstone.core.verdict import Verdict
from torchstone.cudasim.findings import KINDS
from torchstone.judge import messages
from torchstone.judge.kit import Gate, Star, Want, grade, in_every_order, launches, read_totals
from torchstone.judge.kit.native import CODES, ORDERS, code_of, kinds_found, where_counted

FLOAT = torch.float32


def test_a_call_is_asked_for_in_three_orders_and_once_more_under_the_detectors() -> None:
    steps = launches("forward", {"n": 3}, {"out": (FLOAT, [3])}, seed=1, counts=True)
    fast, check = (step.data for step in steps)
    assert (fast["build"], fast["orders"], fast["counts"]) == ("fast", list(ORDERS), False)
    assert (check["build"], check["orders"], check["counts"]) == ("check", ["random"], True)
    assert len(launches("forward", {}, {}, seed=1, check=False)) == 1


def test_the_same_is_wanted_of_every_order() -> None:
    steps = launches("forward", {}, {"out": (FLOAT, [1])}, seed=1)
    want = Want(torch.zeros(1, dtype=torch.float64), 0.0, FLOAT)
    keys = ["ascending:out", "descending:out", "random:out", "1:random:out"]
    expected = in_every_order(steps, {"out": want})
    assert list(expected) == keys
    right = dict.fromkeys(keys, torch.zeros(1))
    assert not grade(expected, right).findings
    for key in keys:
        (finding,) = grade(expected, right | {key: torch.ones(1)}).findings
        assert (finding.code, finding.key) == ("WA", key)


def test_every_kind_of_finding_but_a_leak_has_a_verdict() -> None:
    assert set(CODES) == set(KINDS) - {"leak"}
    assert set(CODES.values()) <= set(Verdict)


@pytest.mark.parametrize(
    ("kind", "code"),
    [("WAW", "RACE"), ("WAR", "RACE"), ("RAW", "RACE"), ("invalid-mask", "RACE"),
     ("out-of-bounds", "OOB"), ("use-after-free", "OOB"), ("invalid-free", "OOB"),
     ("host-pointer", "OOB"), ("device-pointer", "OOB"), ("uninitialized", "UNINIT"),
     ("misaligned", "RTE"), ("stack-overflow", "RTE"), ("assert", "RTE"), ("trap", "RTE"),
     ("launch", "RTE"), ("timeout", "TLE"), ("deadlock", "HUNG")],
)  # fmt: skip
def test_a_finding_decides_whatever_the_values_are(kind: str, code: str) -> None:
    answer = {"1:random:findings": json.dumps([{"kind": kind}])}
    (finding,) = grade({}, answer).findings
    assert finding.code == code
    assert finding.detail["zh"] != finding.detail["en"]


def test_an_entry_of_a_probe_that_bears_the_name_is_no_finding() -> None:
    assert not grade({}, {"findings": json.dumps([{"kind": "RAW"}]), "error": "x"}).findings


def test_threads_that_wait_for_ever_hang_whatever_is_said_of_their_barriers() -> None:
    assert code_of(["barrier-divergence"]) == {"barrier-divergence": "RACE"}
    assert set(code_of(["barrier-divergence", "deadlock"]).values()) == {"HUNG"}
    assert code_of(["deadlock", "RAW"])["RAW"] == "RACE"


@pytest.mark.parametrize(
    "text",
    ["", "[", "{}", "7", "null", '[{"kind": 3}]', '[["kind"]]', '[{"kind": "no such"}]',
     "[" * 100_000, None, 3, b"[]"],
)  # fmt: skip
def test_what_cannot_be_read_is_no_finding_and_no_count(text: object) -> None:
    assert kinds_found(text) == []
    assert read_totals(text) == ()


def counted(**changes: object) -> str:
    place = dict.fromkeys(
        ("requests", "lanes", "sectors", "ideal_sectors", "fresh_sectors", "wavefronts",
         "ideal_wavefronts", "contention", "bytes"), 4,
    )  # fmt: skip
    raw = {
        "kernel": "k", "grid": [6, 1, 1], "block": [32, 1, 1], "launches": 1, "counted_blocks": 2,
        "barriers": 6, "store_epochs": 4,
        "places": [{"what": "global load"} | place, {"what": "global store"} | place],
    }  # fmt: skip
    return json.dumps([raw | changes])


def test_totals_speak_for_the_blocks_that_were_not_counted() -> None:
    (kernel,) = read_totals(counted())
    assert (kernel.num_threads, kernel.num_blocks) == (192, 6)
    assert kernel["global load.sectors"] == 12
    assert kernel["global.sectors"] == 24
    assert kernel["shared.wavefronts"] == 0


@pytest.mark.parametrize(
    "changes", [{"counted_blocks": 0}, {"grid": [1]}, {"places": [{}]}, {"launches": "x"}]
)
def test_broken_counters_are_none(changes: dict[str, object]) -> None:
    assert read_totals(counted(**changes)) == ()


def sectors(answer: dict[str, object]) -> float | None:
    kernels = read_totals(answer.get("1:random:counters"))
    return kernels[0]["global.sectors"] if kernels else None


@pytest.mark.parametrize(("most", "codes"), [(24, []), (23, ["SLOW"])])
def test_a_gate_is_a_count_and_never_a_time(most: float, codes: list[str]) -> None:
    words = {"en": "{came} of {most}; naive {naive}", "zh": "{came}/{most}，朴素 {naive}"}
    gate = Gate(sectors, most, words, {"naive": "96"})
    found = grade({"gate": gate}, {"1:random:counters": counted()}).findings
    assert [each.code for each in found] == codes
    assert all(each.detail["en"] == "24 of 23; naive 96" for each in found)


@pytest.mark.parametrize("answer", [{}, {"1:random:counters": "[{]"}, {"1:random:counters": "[]"}])
def test_a_gate_without_a_count_refuses_nothing(answer: dict[str, object]) -> None:
    gate = Gate(sectors, 24, {"en": "{came}", "zh": "{came}"})
    assert grade({"gate": gate}, answer).findings == ()


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        (counted(), True),
        (counted(places=[]), False),
        # Nothing was launched, which is known.
        ("[]", False),
        # Nothing can be read.
        (counted()[:-9], True),
        (None, True),
    ],
)
def test_what_counters_must_show_is_not_refused_where_they_cannot_be_read(
    text: object, holds: bool
) -> None:
    reads = where_counted(lambda kernels: any(each["global load.sectors"] for each in kernels))
    assert reads(text) is holds


def test_a_launch_that_failed_at_once_hides_no_other() -> None:
    failed = counted(counted_blocks=0)
    (kernel,) = read_totals(f"[{failed[1:-1]},{counted()[1:-1]}]")
    assert kernel["global load.sectors"] == 12


@pytest.mark.parametrize(("most", "earned"), [(24.0, True), (23.0, False)])
def test_a_star_is_shown_and_changes_no_verdict(most: float, earned: bool) -> None:
    star = Star("sectors", sectors, most, {"en": "few", "zh": "少"})
    graded = grade({"star": star}, {"1:random:counters": counted()})
    assert not graded.findings
    words = {"en": "few", "zh": "少"}
    assert graded.stars == (
        messages.Star(
            name="sectors", words=messages.Words(**words), came=24, most=most, earned=earned
        ),
    )
