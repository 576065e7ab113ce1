"""The program of distributed training: lines of JSON, of which the last one is the result."""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

from torchstone.core.event_program import INTERRUPTED
from torchstone.distributed.__main__ import COMMANDS, main
from torchstone.distributed.refusal import Refusal

pytestmark = [pytest.mark.torch]


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def replaced(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Put other events in the place of those of a command."""

    def replace(events: Any) -> None:
        module = importlib.import_module("torchstone.distributed.commands.simulate")
        monkeypatch.setattr(module, "events", events)

    return replace


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_arguments_and_events(name: str) -> None:
    parser = argparse.ArgumentParser()
    COMMANDS[name].add_to(parser)
    assert callable(parser.get_default("events"))


def test_the_last_event_is_the_result(replaced: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def events(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
        yield {"event": "step", "step": 1}
        yield {"ok": given.parallel == "right"}

    replaced(events)
    assert main(["simulate", "--parallel", "right", "--json"]) == 0
    assert lines(capsys) == [{"event": "step", "step": 1}, {"event": "end", "ok": True}]
    assert main(["simulate", "--parallel", "wrong"]) == 1


def test_a_refusal_is_an_event_and_ends_with_2(
    replaced: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def events(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
        yield {"event": "begin"}
        raise Refusal("checkpoint_missing", path="here")

    replaced(events)
    assert main(["simulate"]) == 2
    told = lines(capsys)[-1]
    assert (told["event"], told["code"]) == ("error", "checkpoint_missing")
    assert told["values"] == {"path": "here"}


def test_an_interrupt_is_no_traceback(replaced: Any) -> None:
    def events(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
        raise KeyboardInterrupt
        yield {}

    replaced(events)
    assert main(["simulate"]) == INTERRUPTED


def test_only_the_module_of_the_command_is_imported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    imported: list[str] = []
    real = importlib.import_module
    monkeypatch.setattr(
        importlib, "import_module", lambda name: imported.append(name) or real(name)
    )
    assert main(["simulate", "--world", "0"]) == 2
    assert imported == ["torchstone.distributed.commands.simulate"]
    assert lines(capsys)[-1]["code"] == "world_number"
