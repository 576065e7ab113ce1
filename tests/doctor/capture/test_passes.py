"""Two passes over real programs: their steps are found, their ends are told, nothing is left."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("torch")

from tests.doctor.capture.programs import (
    FEW_STEPS,
    MODEL,
    ONE_STEP,
    TRAINING,
    written,
)
from torchstone.doctor.capture.counting import descendants
from torchstone.doctor.capture.passes import Captured, capture
from torchstone.doctor.capture.plan import Plan
from torchstone.doctor.correlate import find_launches
from torchstone.doctor.read.run import read_run
from torchstone.doctor.refusal import Refusal
from torchstone.doctor.window import find_window

pytestmark = [pytest.mark.torch, pytest.mark.full]


def captured(folder: Path, source: str, *words: str, **options: object) -> Captured:
    path = written(folder, source)
    plan = Plan(script=path, words=words, **options)  # type: ignore[arg-type]
    with leaves_no_process():
        return capture(plan, folder / "out", lambda phase, steps, seconds: None)


@contextmanager
def leaves_no_process() -> Iterator[None]:
    """Check that no process is left over, however a capture ends."""
    # A server that other tests share may be a child of this process.
    before = set(descendants(os.getpid()))
    try:
        yield
    finally:
        assert set(descendants(os.getpid())) <= before


def num_steps(found: Captured, rank: int = 0) -> int:
    events = read_run(found.traces).ranks[rank].events
    window = find_window(events, find_launches(events))
    assert window is not None
    return len(window.steps) if window.how == "steps" else 0


def refused(folder: Path, source: str, *words: str, **options: object) -> Refusal:
    with pytest.raises(Refusal) as caught:
        captured(folder, source, *words, **options)
    return caught.value


def test_endless_training_is_ended_after_the_steps_that_were_asked_for(tmp_path: Path) -> None:
    found = captured(tmp_path, TRAINING, steps=4)
    assert num_steps(found) == 4
    (recording,) = found.recordings
    assert recording.how == "optimizer"
    assert recording.step_us is not None
    assert recording.dilation is not None
    assert found.num_timed >= 10
    assert recording.host.cores >= 1


def test_a_program_gets_its_words_its_folder_and_its_name(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("VALUE = 7\n")
    source = (
        "import os, sys\nimport beside\n"
        "assert __name__ == '__main__' and sys.argv[1:] == ['--steps', '-1', '']\n"
        f"assert os.getcwd() == {os.getcwd()!r} and sys.stdin.read() == ''\n"
        "import __main__; assert __main__.beside.VALUE == 7\n"
        "assert 'torch' not in sys.modules\n" + TRAINING
    )
    assert num_steps(captured(tmp_path, source, "--steps", "-1", "", steps=3)) == 3


def test_few_steps_are_all_that_is_recorded(tmp_path: Path) -> None:
    found = captured(tmp_path, FEW_STEPS)
    assert num_steps(found) == 3
    assert found.recordings[0].how == "optimizer"


def test_a_program_without_a_loop_is_recorded_as_a_whole(tmp_path: Path) -> None:
    found = captured(tmp_path, ONE_STEP)
    assert num_steps(found) == 0
    (recording,) = found.recordings
    assert (recording.how, recording.step_us, recording.dilation) == ("whole", None, None)
    assert recording.notes == ("run_whole",)


def test_inference_has_the_steps_of_its_loader(tmp_path: Path) -> None:
    source = f"""{MODEL}
from torch.utils.data import DataLoader
with torch.no_grad():
    for batch in DataLoader([torch.zeros(64)] * 400, batch_size=10):
        model(batch)
        model(batch)
"""
    found = captured(tmp_path, source)
    assert found.recordings[0].how == "loader"
    assert num_steps(found) == 5


def test_calls_of_a_module_are_steps_where_nothing_else_is(tmp_path: Path) -> None:
    source = f"{MODEL}\nfor _ in range(30):\n    model(torch.randn(8, 64))\n"
    found = captured(tmp_path, source)
    assert found.recordings[0].how == "forward"
    assert num_steps(found) == 5


def test_a_program_that_unwinds_may_catch_all_but_our_end(tmp_path: Path) -> None:
    source = f"""{MODEL}
import sys
try:
    while True:
        try:
            learn()
        except Exception:
            sys.exit("caught")
finally:
    open({str(tmp_path / "unwound")!r}, "a").write("x")
"""
    captured(tmp_path, source)
    assert (tmp_path / "unwound").read_text() == "xx"


def test_a_program_that_catches_everything_is_ended_all_the_same(tmp_path: Path) -> None:
    loop = "while True:\n    try:\n        learn()\n    except BaseException:\n        pass\n"
    source = f"{MODEL}\n{loop}"
    assert num_steps(captured(tmp_path, source)) == 5


def test_workers_and_forks_are_gone_afterwards(tmp_path: Path) -> None:
    source = f"""{MODEL}
import os, time
from torch.utils.data import DataLoader
if os.fork() == 0:
    time.sleep(600)
    os._exit(0)
for batch in DataLoader([torch.zeros(64)] * 100_000, batch_size=4, num_workers=2):
    learn()
"""
    found = captured(tmp_path, source)
    assert num_steps(found) == 5
    assert found.recordings[0].host.processes >= 3


def test_its_own_profiler_is_off_while_ours_records(tmp_path: Path) -> None:
    source = f"""{MODEL}
from torch.profiler import profile, ProfilerActivity, schedule, tensorboard_trace_handler
while True:
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
        learn()
        profiler.step()
    print(profiler.key_averages().table(sort_by="cpu_time_total", row_limit=3))
    sum(event.count for event in profiler.key_averages())
"""
    (recording,) = (found := captured(tmp_path, source)).recordings
    assert num_steps(found) == 5
    assert "own_profiler" in recording.notes
    assert recording.profiling > 0.3
    assert recording.dilation is None


def test_a_module_runs_as_python_m_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "train.py").write_text(f"import sys; assert sys.argv[1:] == ['-x']\n{TRAINING}")
    monkeypatch.chdir(tmp_path)
    plan = Plan(script="package.train", is_module=True, words=("-x",))
    assert num_steps(capture(plan, tmp_path / "out", lambda *told: None)) == 5
    with pytest.raises(Refusal) as caught:
        capture(Plan(script="package.none", is_module=True), tmp_path / "no", lambda *told: None)
    assert caught.value.code == "no_module"


def test_ranks_have_a_trace_each(tmp_path: Path) -> None:
    source = """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
while True:
    optimizer.zero_grad()
    model(torch.randn(8, 64)).sum().backward()
    optimizer.step()
"""
    found = captured(tmp_path, source, num_ranks=2)
    assert [each.rank for each in read_run(found.traces).ranks] == [0, 1]
    assert [num_steps(found, rank) for rank in range(2)] == [5, 5]


def test_one_rank_that_fails_ends_the_others(tmp_path: Path) -> None:
    source = """
import os, time, torch
if os.environ["RANK"] == "1":
    raise RuntimeError("no card on this rank")
time.sleep(600)
"""
    refusal = refused(tmp_path, source, num_ranks=2)
    assert refusal.code == "script_failed"
    assert "no card on this rank" in str(refusal.values["words"])


def test_a_failure_is_told_with_its_last_lines_and_without_ours(tmp_path: Path) -> None:
    refusal = refused(tmp_path, "import torch\ndef f():\n    raise OSError('boom')\nf()\n")
    assert (refusal.code, refusal.values["status"]) == ("script_failed", 1)
    words = str(refusal.values["words"])
    assert words.endswith("OSError: boom")
    assert "capture" not in words


def test_a_program_that_wants_arguments_says_so_itself(tmp_path: Path) -> None:
    source = (
        "import argparse, torch\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('data')\nparser.parse_args()\n"
    )
    refusal = refused(tmp_path, source)
    assert (refusal.code, refusal.values["status"]) == ("script_failed", 2)
    assert "the following arguments are required: data" in str(refusal.values["words"])


def test_a_signal_is_told_by_its_name(tmp_path: Path) -> None:
    refusal = refused(tmp_path, "import os, torch\nos.kill(os.getpid(), 9)\n")
    assert (refusal.code, refusal.values["signal"]) == ("script_killed", "SIGKILL")


def test_a_program_that_never_ends_is_ended_at_the_limit(tmp_path: Path) -> None:
    refusal = refused(tmp_path, "import torch, time\ntime.sleep(600)\n", limit_s=4.0)
    assert (refusal.code, refusal.values["steps"]) == ("too_slow", 0)


def test_a_program_without_torch_has_nothing_to_record(tmp_path: Path) -> None:
    assert refused(tmp_path, "print('hello')\n").code == "no_torch"


def test_a_program_that_does_less_the_second_time_is_refused(tmp_path: Path) -> None:
    done = str(tmp_path / "done")
    source = f"import os, sys\nif os.path.exists({done!r}): sys.exit()\nopen({done!r}, 'w')\n"
    assert refused(tmp_path, source + FEW_STEPS).code == "not_recorded"


def test_an_interrupt_leaves_nothing(tmp_path: Path) -> None:
    def interrupt(phase: str, steps: int, seconds: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), leaves_no_process():
        capture(Plan(script=written(tmp_path, TRAINING)), tmp_path / "out", interrupt)
