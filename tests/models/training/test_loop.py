"""Any number of ranks, in any stage, killed or not, trains what one process does, bit for bit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.models.small import SMALL, events, make_text, weights
from torchstone.distributed import Refusal, World, run_threads
from torchstone.models.text import Text
from torchstone.models.training.loop import train
from torchstone.models.training.plan import Plan
from torchstone.models.training.restore import restore

pytestmark = pytest.mark.torch

# So long that a rank can be killed before the end.
PLAN = replace(SMALL, steps=24, batch_size=8)
_LAUNCHERS = ("RANK", "WORLD_SIZE", "LOCAL_", "GROUP_", "MASTER_", "TORCHELASTIC_", "SLURM_")


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Text:
    return make_text(tmp_path_factory.mktemp("text"))


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory, text: Text) -> tuple[Plan, dict[str, Any]]:
    """A training of one process, and its last event."""
    plan = replace(PLAN, folder=tmp_path_factory.mktemp("alone"))
    return plan, events(plan, text)[-1]


def require_equal(plan: Plan, end: dict[str, Any], alone: tuple[Plan, dict[str, Any]]) -> None:
    """Compare losses, parameters and sample with those of one process."""
    one, its_end = alone
    told, wanted = (
        [(each["step"], each["loss"], each["held_loss"]) for each in it["history"]]
        for it in (end, its_end)
    )
    assert told == wanted
    assert end["sample"] == its_end["sample"]
    found = weights(plan)
    for name, value in weights(one).items():
        assert torch.equal(value, found[name]), name
    assert {each.name for each in plan.folder.iterdir()} == {"checkpoint", "loss.svg"}


def on_threads(plan: Plan, text: Text, num_ranks: int, **options: Any) -> list[dict[str, Any]]:
    def run(world: World) -> list[dict[str, Any]]:
        return list(train(plan, text, **options))

    first, *others = run_threads(run, num_ranks)
    # Only rank 0 speaks.
    assert not any(others)
    told: list[dict[str, Any]] = first
    return told


@pytest.mark.full
@pytest.mark.parametrize(
    ("parallel", "num_ranks"),
    [
        ("zero2", 2),
        *(
            pytest.param(*each, marks=pytest.mark.full)
            for each in (("ddp", 3), ("zero1", 2), ("zero2", 4), ("zero3", 1), ("zero3", 3))
        ),
    ],
)
def test_ranks_train_what_one_process_does(
    parallel: str, num_ranks: int, tmp_path: Path, text: Text, alone: tuple[Plan, dict[str, Any]]
) -> None:
    plan = replace(PLAN, folder=tmp_path, parallel=parallel)
    begin, *told, end = on_threads(plan, text, num_ranks)
    assert (begin["processes"], begin["micro_batch"]) == (num_ranks, 1)
    kinds = [each["event"] for each in told if each["event"] != "step"]
    assert kinds == ["saved", "collective", "measured"] * (PLAN.steps // PLAN.save_every)
    require_equal(plan, end, alone)


@pytest.mark.full
@pytest.mark.parametrize(("batch_size", "num_ranks"), [(7, 3), (9, 5), (12, 8), (6, 6)])
def test_a_batch_that_does_not_divide_by_the_ranks_changes_no_bit(
    batch_size: int, num_ranks: int, tmp_path: Path, text: Text
) -> None:
    plan = replace(SMALL, batch_size=batch_size, steps=4)
    one, several = (replace(plan, folder=tmp_path / name) for name in ("one", "several"))
    alone = one, events(one, text)[-1]
    several = replace(several, parallel="zero2")
    require_equal(several, on_threads(several, text, num_ranks)[-1], alone)


@pytest.mark.full
@pytest.mark.parametrize("parallel", ["ddp", "zero1", "zero2", "zero3"])
@pytest.mark.parametrize("num_ranks", [9, 13])
def test_ranks_beyond_the_parts_change_no_bit(
    num_ranks: int, parallel: str, tmp_path: Path, text: Text
) -> None:
    plan = replace(SMALL, batch_size=18, steps=4)
    alone = replace(plan, folder=tmp_path / "one")
    several = replace(plan, folder=tmp_path / "several", parallel=parallel)
    begin, *_, end = on_threads(several, text, num_ranks)
    assert (begin["micro_batch"], begin["idle_ranks"]) == (2, num_ranks - 9)
    require_equal(several, end, (alone, events(alone, text)[-1]))


@pytest.mark.full
def test_ranks_beyond_the_windows_change_no_bit(tmp_path: Path, text: Text) -> None:
    plan = replace(SMALL, batch_size=4, steps=4, dropout=0.1)
    alone = replace(plan, folder=tmp_path / "one")
    several = replace(plan, folder=tmp_path / "several", parallel="zero3")
    begin, *_, end = on_threads(several, text, 5)
    assert begin["idle_ranks"] == 1
    require_equal(several, end, (alone, events(alone, text)[-1]))
    # It goes on where there are fewer.
    (several.checkpoint / "step-00000004" / "index.json").unlink()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        begin, *_, end = on_threads(several, text, 2, resume=True)
    assert (begin["step"], begin["idle_ranks"]) == (2, 0)
    require_equal(several, end, (alone, events(alone, text)[-1]))


@pytest.mark.full
@pytest.mark.parametrize("changes", [{"precision": "bfloat16"}, {"micro_batch": 1, "dropout": 0.0}])
def test_precision_and_parts_change_nothing_about_it(
    changes: dict[str, Any], tmp_path: Path, text: Text
) -> None:
    one = replace(SMALL, folder=tmp_path / "one", **changes)
    end = events(one, text)[-1]
    several = replace(one, folder=tmp_path / "several", parallel="zero3")
    told = on_threads(several, text, 3)[-1]
    assert [each["loss"] for each in told["history"]] == [each["loss"] for each in end["history"]]
    for name, value in weights(one).items():
        assert torch.equal(value, weights(several)[name]), name


@pytest.mark.full
def test_in_rank_order_it_is_one_process_where_each_rank_has_one_part(
    tmp_path: Path, text: Text
) -> None:
    one = replace(SMALL, folder=tmp_path / "one", order="rank")
    end = events(one, text)[-1]
    several = replace(one, folder=tmp_path / "several", parallel="zero2")
    told = on_threads(several, text, 4)[-1]
    assert [each["loss"] for each in told["history"]] == [each["loss"] for each in end["history"]]


def test_ranks_that_train_something_else_are_named(tmp_path: Path, text: Text) -> None:
    def run(world: World) -> None:
        list(train(replace(SMALL, folder=tmp_path, lr=1.0 + world.rank), text))

    with pytest.raises(Refusal, match="rank 1 has other data than rank 0: lr is"):
        run_threads(run, 2)


@contextmanager
def running(words: list[str], *variables: dict[str, str]) -> Iterator[list[subprocess.Popen[str]]]:
    """Start a program once for each set of variables; end what is left of it."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(_LAUNCHERS)
    } | {"OMP_NUM_THREADS": "1"}
    started = [
        subprocess.Popen(
            [sys.executable, *words],
            env=environment | each,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        for each in variables or ({},)
    ]
    try:
        yield started
    finally:
        for each in started:
            if each.poll() is None:
                for pid in (*ranks_of(each).values(), each.pid):
                    os.kill(pid, signal.SIGKILL)
            each.communicate()


def ranks_of(launcher: subprocess.Popen[str]) -> dict[int, int]:
    """Return the processes of torchrun by rank."""
    children = Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children").read_text().split()
    found = {}
    for pid in map(int, children):
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        found |= {int(each[5:]): pid for each in variables if each.startswith(b"RANK=")}
    return found


def read(launched: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    assert launched.stdout is not None
    return (json.loads(line) for line in launched.stdout if line.startswith("{"))


def words_of(plan: Plan, text: Text, *more: str) -> list[str]:
    shape = ("steps", "batch_size", "context", "width", "depth", "heads", "key_heads")
    names = (*shape, "warm_up", "save_every", "dropout", "folder", "parallel")
    given = [f"--{name.replace('_', '-')}={getattr(plan, name)}" for name in names]
    return ["-m", "torchstone.models", "transformer", "train", f"--text={text.name}", *given, *more]


def torchrun(num_ranks: int, *more: str) -> list[str]:
    return ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={num_ranks}", *more]


@pytest.mark.full
def test_what_is_killed_goes_on_with_fewer_ranks_in_another_stage_to_the_same_bits(
    tmp_path: Path, text: Text, alone: tuple[Plan, dict[str, Any]]
) -> None:
    # What is here is of another training, and not what the ranks go on from.
    plan = replace(PLAN, folder=tmp_path, parallel="zero3")
    events(replace(PLAN, folder=tmp_path, seed=9, steps=2), text)
    with running([*torchrun(3, "--max-restarts=1"), *words_of(plan, text)]) as (launched,):
        first = start_of(read(launched))
        os.kill(ranks_of(launched)[2], signal.SIGKILL)
        second = start_of(read(launched))
    begin = next(each for each in second if each["event"] == "begin")
    assert (first[0]["step"], begin["processes"]) == (0, 3)
    assert 2 * PLAN.save_every <= begin["step"] < PLAN.steps
    assert {"event": "restart", "restart": 1, "step": begin["step"]} in second
    again = [*torchrun(2), *words_of(replace(plan, parallel="zero2"), text, "--resume")]
    with running(again) as (launched,):
        begin, *_, end = list(read(launched))
    assert (begin["processes"], begin["event"]) == (2, "begin")
    assert 4 * PLAN.save_every <= begin["step"] <= PLAN.steps
    require_equal(plan, end, alone)


def start_of(told: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the events of a start until its second checkpoint."""
    found, begun = list[dict[str, Any]](), False
    while [each["event"] for each in found].count("saved") < 2:
        event = next(told)
        # What was printed before the ranks were killed is of the start before.
        begun = begun or event["event"] == "begin"
        if begun:
            found.append(event)
    return found


@pytest.mark.full
def test_the_variables_of_slurm_are_enough(
    tmp_path: Path, text: Text, alone: tuple[Plan, dict[str, Any]]
) -> None:
    # A stand-in for srun, which sets these variables and starts the program.
    shared = {"SLURM_NTASKS": "2", "SLURM_JOB_NODELIST": "localhost", "SLURM_JOB_ID": "4711"}
    variables = [
        shared | {"SLURM_PROCID": rank, "SLURM_LOCALID": rank, "SLURM_NODEID": "0"}
        for rank in ("0", "1")
    ]
    plan = replace(PLAN, folder=tmp_path, parallel="zero1")
    with running(words_of(plan, text), *variables) as (first, second):
        told = list(read(first))
        assert list(read(second)) == []
    require_equal(plan, told[-1], alone)
    assert restore(tmp_path)[1].order == "float64"
