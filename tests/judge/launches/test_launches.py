"""A script is started as several ranks: by forks, without a launcher, and by the real torchrun."""

import pytest

from tests.judge.launches.arena import BANK, SOLUTION, SUM, judge, order, with_act
from torchstone.core import paths
from torchstone.core.errors import JudgeUnavailable
from torchstone.core.isolation import Isolation
from torchstone.judge.kinds import LAUNCHES
from torchstone.judge.pool.scratch import evaluate
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = [pytest.mark.full, pytest.mark.sandbox]

RANK = 'os.environ["RANK"]'


def test_a_right_answer_is_accepted(pool: WorkerPool) -> None:
    report = judge(pool, SOLUTION)
    assert report.verdict == "AC", report
    assert report.stdout == ""


@pytest.mark.gate("*torchrun")
@pytest.mark.parametrize("group", ["two", "torchrun"])
def test_only_rank_0_writes(pool: WorkerPool, group: str) -> None:
    report = judge(pool, SOLUTION.replace("dist.get_rank() == 0", "True"), group)
    assert (report.verdict, report.aspect) == ("WA", "property"), report
    assert report.detail is not None
    assert "rank 1 opens sum.txt for writing" in report.detail.en


@pytest.mark.gate("full-two")
@pytest.mark.parametrize("group", ["two", "torchrun"])
def test_what_no_hook_hears_writes_nothing(pool: WorkerPool, group: str) -> None:
    """The kernel refuses it, whatever the program tells or hides."""
    act = f"""os.makedirs(folder, exist_ok=True)
if {RANK} == "1":
    at = os.open(folder, os.O_RDONLY)
    try:
        os.open("other.txt", os.O_WRONLY | os.O_CREAT, dir_fd=at)
    except PermissionError:
        os.close(at)"""
    report = judge(pool, with_act(act), group)
    assert report.verdict == "AC", report


@pytest.mark.full
@pytest.mark.parametrize("group", ["two", "torchrun"])
def test_the_exception_of_the_first_rank_that_fails_is_told(pool: WorkerPool, group: str) -> None:
    act = f'if {RANK} == "1":\n    raise LookupError("lost")'
    report = judge(pool, with_act(act), group)
    assert report.verdict == "RTE", report
    assert report.error is not None
    assert (report.error.type, report.error.message) == ("LookupError", "lost")


@pytest.mark.gate("full-torchrun")
@pytest.mark.parametrize("group", ["two", "torchrun"])
@pytest.mark.full
def test_ranks_that_wait_for_ever_are_told(pool: WorkerPool, group: str) -> None:
    report = judge(pool, with_act(f'if {RANK} == "1":\n    dist.recv(torch.zeros(1), 0)'), group)
    assert report.verdict == "HUNG", report
    assert report.detail is not None
    assert "recv" in report.detail.en


@pytest.mark.gate("full-5-AC")
@pytest.mark.parametrize(("seconds", "verdict"), [(5, "AC"), (1000, "HUNG")])
@pytest.mark.full
def test_ranks_that_shall_fail_have_time_to_end(
    pool: WorkerPool, seconds: int, verdict: str
) -> None:
    """One of them may wait for the time limit of its group."""
    report = judge(pool, f"import time\ntime.sleep({seconds})\n{SOLUTION}", "fails")
    assert report.verdict == verdict, report


def test_a_failure_after_the_work_is_done_is_forgiven_once(pool: WorkerPool) -> None:
    """Process 1 of a job leads, process 2 has loaded, and 3 and 4 are the ranks of the first."""
    late = SOLUTION + "\nif os.getpid() == 3:\n    os.abort()\n"
    report = judge(pool, late, "two")
    assert report.verdict == "AC", report
    always = judge(pool, SOLUTION + "\nos._exit(3)\n", "two")
    assert always.verdict == "RTE", always


def test_the_name_localhost_is_known(pool: WorkerPool) -> None:
    act = 'assert socket.gethostbyname("localhost") == "127.0.0.1"'
    assert judge(pool, with_act(act), "alone").verdict == "AC"


@pytest.mark.gate("full-two")
@pytest.mark.parametrize("group", ["two", "torchrun"])
def test_what_makes_types_of_ctypes_can_be_imported(pool: WorkerPool, group: str) -> None:
    act = """from torch.distributed.elastic.multiprocessing.errors import record
import torch.distributed.checkpoint, torch.distributed.run
assert record(lambda: 42)() == 42"""
    assert judge(pool, with_act(act), group).verdict == "AC"


def test_workers_of_a_loader_are_allowed(pool: WorkerPool) -> None:
    act = """from torch.utils.data import DataLoader
assert sum(len(batch) for batch in DataLoader(list(range(8)), 3, num_workers=2)) == 8"""
    assert judge(pool, with_act(act), "two").verdict == "AC"


@pytest.mark.gate("full-two")
@pytest.mark.parametrize("group", ["two", "torchrun"])
def test_ranks_share_temporary_files_by_their_usual_name(pool: WorkerPool, group: str) -> None:
    act = f"""store = dist.FileStore("/tmp/store", 2)
store.set({RANK}, "here")
store.wait(["0", "1"])"""
    assert judge(pool, with_act(act), group).verdict == "AC"


def test_exit_handlers_run_and_an_exit_code_counts(pool: WorkerPool) -> None:
    handler = "import atexit\natexit.register(main)\n"
    assert judge(pool, SOLUTION.replace("\nmain()\n", f"\n{handler}"), "two").verdict == "AC"
    report = judge(pool, SOLUTION + "\nsys.exit('no')\n", "alone")
    assert report.verdict == "RTE", report


COMMANDS = {
    "": "type a command such as",
    "rm -r out": "type a command such as",
    "torchrun --nproc_per_node=0 train.py out 5": "at least one rank",
    "torchrun --nproc_per_node 3 --nnodes 2 train.py out 5": "at most 4 ranks",
    "torchrun train.py /etc/out 5": "cannot write to the folder of --out",
}


@pytest.mark.parametrize("command", COMMANDS, ids=list(COMMANDS.values()))
def test_a_bad_command_gets_a_message_of_its_own(pool: WorkerPool, command: str) -> None:
    found = evaluate(order(SOLUTION), pool.workers(0), command)
    assert found.detail is not None, found
    assert COMMANDS[command] in found.detail.en
    assert found.detail.zh != found.detail.en


def test_missing_arguments_and_a_taken_port_get_messages(pool: WorkerPool) -> None:
    parser = "import argparse\nparser = argparse.ArgumentParser()\n"
    parser += "parser.add_argument('--data', required=True)\nparser.parse_args()\n"
    found = evaluate(order(parser), pool.workers(0), "python train.py")
    assert found.detail is not None
    assert "needs --data and --out" in found.detail.en
    taken = SOLUTION.replace(
        "    number = ", "    os.environ['MASTER_PORT'] = '29500'\n    number = "
    )
    report = judge(pool, taken, "four")
    assert report.verdict == "RTE", report
    assert report.detail is not None
    assert "the port is taken" in report.detail.en


def test_a_typed_command_is_run(pool: WorkerPool) -> None:
    source = SOLUTION.replace('with open(f"{folder}', 'print(total)\n        with open(f"{folder}')
    command = "torchrun --nproc_per_node=2 train.py out 20 22"
    found = evaluate(order(source), pool.workers(0), command)
    assert found.text == "rank0: exit 0\nrank1: exit 0\nout/sum.txt: 2 bytes", found
    assert found.stdout == "tensor(42)\n"


def test_it_needs_a_network_of_its_own() -> None:
    pool = WorkerPool(bank_root=BANK, cache=paths.cache_dir(), at_most=Isolation.CONFINED)
    with pytest.raises(JudgeUnavailable):
        pool.require_level(order(SOLUTION))
    pool.stop()
    assert SUM.row is LAUNCHES
