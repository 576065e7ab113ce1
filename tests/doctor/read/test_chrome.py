"""The reader of JSON: any file gives the events that can be read, and what is wrong is noticed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.doctor.simulated import load, simulated
from torchstone.doctor.read import limits
from torchstone.doctor.read.chrome import Event, Reading, read_pieces
from torchstone.doctor.refusal import Refusal

pytestmark = pytest.mark.pure

EVENTS = [
    {"ph": "X", "name": f"aten::op{at}", "cat": "cpu_op", "ts": at * 10, "dur": 5, "pid": 1}
    | {"tid": 1, "args": {"External id": at, "Input Dims": [[at, 2], []], "nested": [{}, {"a": 1}]}}
    for at in range(40)
]
HEAD = {"schemaVersion": 1, "deviceProperties": [{"name": "Card"}]}


def read(path: Path) -> tuple[list[Event], Reading]:
    reading = Reading()
    found = [event for events in read_pieces(path, reading) for event in events]
    return found, reading


def named(text: str | bytes, folder: Path) -> tuple[list[str], Reading]:
    """The names of the events of a text."""
    path = folder / "trace.json"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    events, reading = read(path)
    return [str(event.name) for event in events], reading


def listed(*events: str) -> str:
    return '{"traceEvents": [' + ", ".join(events) + "]}"


NAMES = [event["name"] for event in EVENTS]
WHOLE = json.dumps(HEAD | {"traceEvents": EVENTS})
ONE = '{"ph": "X", "name": "a", "ts": 1, "dur": 2}'
# A text that ends behind the events has lost nothing of them.
PIECES = [1, 3, 64, 700, 5000, 1 << 24]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("size", PIECES)
def test_pieces_of_any_size_give_the_same_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, indent: int | None
) -> None:
    monkeypatch.setattr(limits, "PIECE_BYTES", size)
    text = json.dumps(HEAD | {"traceEvents": EVENTS, "traceName": "a ] }, { b"}, indent=indent)
    names, reading = named(text, tmp_path)
    assert names == NAMES
    assert (reading.is_cut, reading.num_dropped) == (False, 0)
    assert reading.head.deviceProperties == [{"name": "Card"}]


@pytest.mark.parametrize("size", PIECES)
def test_a_foot_with_lists_of_objects_is_no_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(limits, "PIECE_BYTES", size)
    foot = {"more": [{"a": [{}]}, {"b": 1}], "deviceProperties": [{"name": "Late"}]}
    names, reading = named(json.dumps({"traceEvents": EVENTS} | foot), tmp_path)
    assert names == NAMES
    assert reading.head.deviceProperties == [{"name": "Late"}]


@pytest.mark.parametrize("size", [64, 1 << 24])
@pytest.mark.parametrize("at", [*range(60, len(WHOLE), 211), len(WHOLE) - 1, len(WHOLE) - 2])
def test_a_file_that_is_cut_anywhere_has_what_is_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int, size: int
) -> None:
    monkeypatch.setattr(limits, "PIECE_BYTES", size)
    if '"traceEvents"' not in WHOLE[: at - 3]:
        return
    names, reading = named(WHOLE[:at], tmp_path)
    assert names == NAMES[: len(names)]
    # Each event that ends before the cut is there.
    num_whole = sum(WHOLE.index(json.dumps(each)) + len(json.dumps(each)) <= at for each in EVENTS)
    assert len(names) == num_whole
    assert reading.is_cut == (at < len(WHOLE) - 1)


def test_a_bare_list_is_a_trace(tmp_path: Path) -> None:
    for text, is_cut in ((json.dumps(EVENTS), False), (json.dumps(EVENTS)[:-1], True)):
        names, reading = named("\ufeff \n" + text, tmp_path)
        assert names == NAMES
        assert reading.is_cut == is_cut


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "nan", "-inf"])
@pytest.mark.parametrize("size", [50, 1 << 24])
def test_numbers_that_are_none_are_read_as_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, size: int
) -> None:
    monkeypatch.setattr(limits, "PIECE_BYTES", size)
    args = f'{{"bytes": {value}, "x": [{value}]}}'
    strange = f'{{"ph": "X", "name": "b: NaN", "ts": 3, "args": {args}}}'
    names, reading = named(listed(ONE, strange, ONE), tmp_path)
    assert names[0] == names[2] == "a"
    assert len(names) == 3
    assert reading.num_dropped == 0


@pytest.mark.parametrize(
    "wrong",
    [
        '{"ph": 1, "name": "b"}',
        '{"name": "b", "ts": "soon"}',
        '{"name": "b", "ts": 1e999}',
        '{"name": "b", "args": [1]}',
        '{"name": "b", "args": {"correlation": {}}}',
        '{"name": "b" "ts": 1}',
        '{"name": "b", "ts": }',
        '{"name": "a\nb"}',
        '{"name": "\\x"}',
        '{"name": "b", "ts": 01x}',
        '{"name": "b", "args": {"a": ' + "[" * 5000 + "]" * 5000 + "}}",
        '{"name": "b", "args": {"Input Dims": ' + "[" * 5000 + "]" * 5000 + "}}",
    ],
)
@pytest.mark.parametrize("size", [20, 1 << 24])
def test_an_event_that_cannot_be_read_is_left_out_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str, size: int
) -> None:
    monkeypatch.setattr(limits, "PIECE_BYTES", size)
    names, reading = named(listed(ONE, wrong, ONE, ONE), tmp_path)
    assert names == ["a", "a", "a"]
    assert reading.num_dropped == 1


def test_brackets_a_million_deep_are_no_event(tmp_path: Path) -> None:
    deep = '{"name": "b", "args": {"x": ' + "[" * 10**6 + "]" * 10**6 + "}}"
    names, reading = named(listed(ONE, deep, ONE), tmp_path)
    assert (names, reading.num_dropped) == (["a", "a"], 1)
    names, reading = named(listed(ONE, "[" * 10**6), tmp_path)
    assert (names, reading.is_cut) == (["a"], True)


def test_bytes_that_are_no_text_are_read_as_far_as_they_are(tmp_path: Path) -> None:
    strange = b'{"name": "caf\xe9", "args": {"Call stack": "\xff"}}'
    text = listed(ONE, "@", ONE).encode().replace(b"@", strange)
    names, reading = named(text, tmp_path)
    assert (names, reading.num_dropped) == (["a", "caf\ufffd", "a"], 0)
    names, _ = named(b'{"x": "\xe9", "traceEvents": [' + ONE.encode() + b"]}", tmp_path)
    assert names == ["a"]


def test_numbers_beyond_64_bits_are_read(tmp_path: Path) -> None:
    for number in (2**63, -(2**63) - 1, 2**64, 10**30):
        text = listed(f'{{"name": "b", "ts": 1, "args": {{"correlation": {number}}}}}')
        assert named(text, tmp_path)[0] == ["b"]


def test_an_event_without_an_end_is_not_searched_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PIECE_BYTES", 100)
    monkeypatch.setattr(limits, "MAX_EVENT_BYTES", 1000)
    text = listed(ONE, '{"name": "' + "b" * 50_000, ONE)
    names, reading = named(text, tmp_path)
    assert (names, reading.is_cut) == (["a"], True)
    assert reading.num_bytes < 5000


def test_a_file_without_events_is_not_read_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PIECE_BYTES", 100)
    monkeypatch.setattr(limits, "MAX_HEAD_BYTES", 1000)
    with pytest.raises(Refusal) as caught:
        named('{"a": [' + "1," * 5000 + "1]}", tmp_path)
    assert caught.value.code == "no_events"


def test_the_word_of_the_events_may_be_in_a_text(tmp_path: Path) -> None:
    text = '{"note": "\\"traceEvents\\": [", "traceEvents": [' + ONE + "]}"
    assert named(text, tmp_path)[0] == ["a"]


def test_a_head_of_another_form_is_no_harm(tmp_path: Path) -> None:
    for head in ('"deviceProperties": 3', '"distributedInfo": []', '"schemaVersion": {}'):
        names, _ = named("{" + head + ', "traceEvents": [' + ONE + "]}", tmp_path)
        assert names == ["a"]


@pytest.mark.parametrize(
    ("text", "code"),
    [("", "empty"), (" \n", "empty"), ("hello", "no_json"), ("{}", "no_events"), ("3", "no_json")],
)
def test_what_is_no_trace_is_refused(tmp_path: Path, text: str, code: str) -> None:
    with pytest.raises(Refusal) as caught:
        named(text, tmp_path)
    assert caught.value.code == code


def test_a_damaged_trace_keeps_the_events_around(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PIECE_BYTES", 50_000)
    path = simulated(tmp_path, "healthy")
    whole, _ = read(path)
    for change in (b"\x00", b"{", b"}", b"]", b"\\"):
        text = bytearray(path.read_bytes())
        at = text.index(b'"ts"', len(text) // 2)
        text[at : at + 1] = change
        damaged = tmp_path / "damaged.json"
        damaged.write_bytes(text)
        events, reading = read(damaged)
        assert len(events) > 0.4 * len(whole)
        assert reading.is_cut or reading.num_dropped


def test_a_packed_trace_that_is_cut_has_what_is_before(tmp_path: Path) -> None:
    path = simulated(tmp_path, "healthy", packed=True)
    whole, _ = read(path)
    packed = path.read_bytes()
    assert len(load_packed(packed)["traceEvents"]) == len(whole)
    path.write_bytes(packed[: len(packed) // 2])
    events, reading = read(path)
    assert reading.is_cut
    assert 0.3 * len(whole) < len(events) < len(whole)
    assert [each.name for each in events] == [each.name for each in whole[: len(events)]]


def load_packed(packed: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress(packed))
    return found


CHANGES: dict[str, Callable[[bytes, int, bytes], bytes]] = {
    "cut": lambda text, at, new: text[:at],
    "insert": lambda text, at, new: text[:at] + new + text[at:],
    "replace": lambda text, at, new: text[:at] + new + text[at + len(new) :],
    "remove": lambda text, at, new: text[:at] + text[at + len(new) :],
}


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from([*CHANGES]), st.integers(0, len(WHOLE)), st.binary(max_size=3))
    ),
    st.sampled_from([17, 400, 1 << 24]),
)
def test_no_change_of_a_file_raises_anything_but_a_refusal(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: list[tuple[str, int, bytes]],
    size: int,
) -> None:
    monkeypatch.setattr(limits, "PIECE_BYTES", size)
    text = WHOLE.encode()
    for name, at, new in changes:
        text = CHANGES[name](text, at, new)
    try:
        names, reading = named(text, tmp_path)
    except Refusal:
        return
    assert len(names) <= len(EVENTS) + len(changes)
    assert names == NAMES or reading.is_cut or reading.num_dropped or changes


def test_the_simulated_trace_is_read_as_json_reads_it(tmp_path: Path) -> None:
    path = simulated(tmp_path, "healthy-memory")
    events, reading = read(path)
    assert [event.name for event in events] == [each["name"] for each in load(path)["traceEvents"]]
    assert reading.head.deviceProperties[0]["name"] == "NVIDIA A100-SXM4-80GB"
