"""``simulate``: the bits of one process, bytes and memory by formula, time on a link."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from torchstone.distributed import simulated
from torchstone.distributed.__main__ import main

pytestmark = [pytest.mark.torch]

# Bytes of the parameters: an embedding, a head, and two matrices for each of four layers.
SIZE = 4 * (2 * 256 * 128 + 4 * 2 * 128 * 512)
LINK_BYTES_S = 1e9 / 8


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command; return its exit status and its lines."""

    def run(*words: object) -> tuple[int, list[dict[str, Any]]]:
        code = main(["simulate", *map(str, words)])
        return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return run


@pytest.mark.parametrize(
    ("parallel", "ratio", "share"),
    [("ddp", 1.0, 1.0), ("zero1", 1.0, 1 / 3), ("zero2", 1.0, 1 / 3), ("zero3", 4 / 3, 1 / 3)],
)
def test_ranks_have_the_bits_of_one_process(
    told: Any, parallel: str, ratio: float, share: float
) -> None:
    words = ("--world", 3, "--parallel", parallel, "--steps", 2, "--link", "1gbit")
    code, (begin, *steps, end) = told(*words)
    assert code == 0
    assert (begin["event"], begin["parallel"], begin["world"]) == ("begin", parallel, 3)
    assert [each["step"] for each in steps] == [1, 2]
    assert (end["ok"], end["equal"], end["world"], end["parallel"]) == (True, True, 3, parallel)
    ideal = 2 * 2 * (2 / 3) * SIZE
    assert end["bytes_ratio"] == pytest.approx(ratio, rel=0.02)
    assert sum(end["bytes"].values()) == pytest.approx(end["bytes_ratio"] * ideal)
    assert end["memory"]["optimizer"] == pytest.approx(2 * SIZE * share, rel=0.02)
    assert end["memory"]["buffers"] == 0
    # What one step sends, and nothing of what was sent before the first one.
    wanted_ms = 1e3 * sum(end["bytes"].values()) / 2 / LINK_BYTES_S
    assert end["step_ms"] == pytest.approx(wanted_ms, rel=1e-3)
    assert [each["ms"] for each in steps] == pytest.approx([wanted_ms] * 2, rel=0.01)


def test_one_rank_sends_nothing(told: Any) -> None:
    code, lines = told("--world", 1, "--steps", 1, "--parallel", "zero3")
    assert (code, lines[-1]["bytes_ratio"], sum(lines[-1]["bytes"].values())) == (0, None, 0)
    assert lines[-1]["step_ms"] > 0


def test_a_difference_in_one_bit_is_told(told: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = simulated.values_of
    calls: list[int] = []

    def values_of(module: nn.Module) -> dict[str, torch.Tensor]:
        values = plain(module)
        calls.append(1)
        if len(calls) == 2:
            weight = values["head.weight"]
            weight[3, 5] = torch.nextafter(weight[3, 5], torch.tensor(9.0))
        return values

    monkeypatch.setattr(simulated, "values_of", values_of)
    code, lines = told("--world", 2, "--steps", 1)
    assert (code, lines[-1]["ok"], lines[-1]["equal"]) == (1, False, False)


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (("--world", 10_000), "world_limit", "64"),
        (("--world", 0), "world_number", "0"),
        (("--parallel", "zero4"), "choice", "zero3"),
        (("--steps", 0), "number", "--steps"),
        (("--steps", 10**6), "number", "1000"),
        (("--link", "fast"), "rate", "'fast'"),
        (("--link", "0gbit"), "rate", "1gbit"),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_wrong_request_is_refused(
    told: Any, words: tuple[object, ...], code: str, part: str, lang: str
) -> None:
    status, lines = told(*words, "--lang", lang)
    assert (status, [each["code"] for each in lines]) == (2, [code])
    assert part in lines[0]["message"] + lines[0]["hint"]


@pytest.mark.parametrize("suffix", [".svg", ".html", ".json"])
def test_the_timeline_is_written_where_it_is_asked_for(
    told: Any, tmp_path: Path, suffix: str
) -> None:
    file = tmp_path / f"t{suffix}"
    words = ("--world", 2, "--steps", 1, "--link", "1gbit", "--timeline", file)
    code, lines = told(*words)
    assert (code, lines[-1]["timeline"]) == (0, str(file))
    assert "all_reduce" in file.read_text(encoding="utf-8")


def test_a_timeline_that_is_there_is_kept_and_nothing_runs(told: Any, tmp_path: Path) -> None:
    file = tmp_path / "t.svg"
    file.write_text("mine")
    code, lines = told("--world", 2, "--timeline", file)
    assert (code, [each["event"] for each in lines]) == (2, ["error"])
    assert (lines[0]["code"], file.read_text()) == ("file_taken", "mine")


# Of the forward and the backward pass of one rank: 6 for each parameter but the embedding's, and
# each of 64 tokens.
FLOPS = 6 * 64 * (SIZE / 4 - 256 * 128)


def data_of(told: Any, tmp_path: Path, *words: object) -> dict[str, Any]:
    """Run one step on a link, and return its timeline."""
    file = tmp_path / "t.json"
    code, _ = told("--steps", 1, "--link", "1gbit", "--timeline", file, *words)
    assert code == 0
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def computed_s(data: dict[str, Any], rank: int) -> float:
    return sum(each["end_s"] - each["start_s"] for each in data["compute"] if each["rank"] == rank)


@pytest.mark.parametrize("parallel", ["ddp", "zero1", "zero3"])
def test_computing_takes_the_time_of_its_operations_and_the_rest_is_waiting(
    told: Any, tmp_path: Path, parallel: str
) -> None:
    data = data_of(told, tmp_path, "--world", 4, "--parallel", parallel, "--gflops", 20)
    for rank in range(4):
        assert computed_s(data, rank) == pytest.approx(FLOPS / 20e9)
        spans = [each for each in data["compute"] + data["waits"] if each["rank"] == rank]
        spans.sort(key=lambda each: each["start_s"])
        for one, other in itertools.pairwise(spans):
            assert other["start_s"] == pytest.approx(one["end_s"], abs=1e-12)
    assert {each["label"] for each in data["compute"]} == {"F", "B"}
    busy_s = sum(computed_s(data, rank) for rank in range(4))
    assert data["bubble"] == pytest.approx(1 - busy_s / (4 * data["end_s"]))


def test_the_others_wait_for_a_slow_rank_as_long_as_it_computes_longer(
    told: Any, tmp_path: Path
) -> None:
    words = ("--world", 3, "--parallel", "ddp", "--gflops", 20, "--slow", "1x3")
    data = data_of(told, tmp_path, *words)
    assert computed_s(data, 1) == pytest.approx(3 * computed_s(data, 0))
    waited_s = {
        rank: sum(
            each["end_s"] - each["start_s"]
            for each in data["waits"]
            if each["rank"] == rank and each["last"] == 1
        )
        for rank in range(3)
    }
    assert waited_s[1] == 0
    assert waited_s[0] == waited_s[2] > 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--gflops", 0, "--link", "1gbit"), "speed"),
        (("--gflops", "nan", "--link", "1gbit"), "speed"),
        (("--gflops", "inf", "--link", "1gbit"), "speed"),
        (("--gflops", 20), "speed_link"),
        (("--slow", "0x3", "--link", "1gbit"), "slow_speed"),
        (("--slow", "4x3", "--link", "1gbit", "--gflops", 20), "slow_rank"),
        (("--slow", "0x0.5", "--link", "1gbit", "--gflops", 20), "slow_rank"),
        (("--slow", "fast", "--link", "1gbit", "--gflops", 20), "slow_rank"),
    ],
)
def test_a_speed_that_is_none_is_refused(told: Any, words: tuple[object, ...], code: str) -> None:
    status, lines = told("--world", 4, *words)
    assert (status, [each["code"] for each in lines]) == (2, [code])
