"""An exception is described without being trusted."""

import builtins
import linecache

import pytest

from torchstone.judge.child.answering.fault import (
    MESSAGE_CAP,
    SUBMISSION_FILE,
    VALUE_CAP,
    Fault,
    attempt,
    describe_error,
)

pytestmark = pytest.mark.pure


def raised_by(source: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Describe what a file raises when it is executed as the submission is."""
    lines = source.splitlines(keepends=True)
    monkeypatch.setitem(
        linecache.cache, SUBMISSION_FILE, (len(source), None, lines, SUBMISSION_FILE)
    )
    try:
        exec(compile(source, SUBMISSION_FILE, "exec"), {})
    except BaseException as error:  # noqa: BLE001
        return describe_error(error)
    raise AssertionError("nothing was raised")


def test_the_innermost_line_of_the_submission_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "import json\ndef f():\n    json.loads('{')\n\nf()\n"
    found = raised_by(source, monkeypatch)
    assert (found["type"], found["line"], found["text"]) == (
        "JSONDecodeError",
        3,
        "json.loads('{')",
    )
    assert found["bases"] == ["ValueError", "Exception", "BaseException"]
    assert found["memory"] is False


def test_a_syntax_error_names_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    found = raised_by("x = 1\ndef f(:\n", monkeypatch)
    assert (found["line"], found["text"]) == (2, "def f(:")


def test_an_exception_that_cannot_be_printed_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "class E(Exception):\n    def __str__(self):\n        raise SystemExit\nraise E"
    assert raised_by(source, monkeypatch)["message"] == "(the exception cannot be printed)"


def test_words_of_the_submission_are_capped(monkeypatch: pytest.MonkeyPatch) -> None:
    source = f"raise type('N' * 5000, (ValueError,), {{}})('m' * 5000 + '{'x' * 1000}')"
    found = raised_by(source, monkeypatch)
    lengths = {key: len(str(found[key])) for key in ("type", "message", "text")}
    assert lengths == {"type": 100, "message": MESSAGE_CAP, "text": 200}


@pytest.mark.parametrize(
    "error", [MemoryError(), RuntimeError("std::bad_alloc"), OSError("Cannot allocate memory")]
)
def test_want_of_memory_is_told_apart(error: Exception) -> None:
    assert describe_error(error)["memory"] is True


def test_an_attempt_gives_the_value_or_the_exception_but_lets_a_fault_through() -> None:
    assert attempt(lambda: 7) == {"value": 7}
    assert attempt(lambda: int("x"))["raised"]["type"] == "ValueError"
    fault = Fault("parameter_shape", name="weight", shape=(2, 3))

    def break_it() -> None:
        raise fault

    with pytest.raises(Fault) as caught:
        attempt(break_it)
    assert caught.value.record == {
        "key": "parameter_shape",
        "values": {"name": "weight", "shape": "(2, 3)"},
    }


def test_a_value_of_a_fault_is_capped() -> None:
    values = Fault("value_type", type="T" * 5000).record["values"]
    assert values == {"type": "T" * VALUE_CAP}


def test_patched_builtins_do_not_change_the_description(monkeypatch: pytest.MonkeyPatch) -> None:
    error = MemoryError()
    with monkeypatch.context() as patch:
        patch.setitem(vars(builtins), "any", lambda *_: False)
        patch.setitem(vars(builtins), "isinstance", lambda *_: False)
        found = describe_error(error)
    assert found["memory"] is True
