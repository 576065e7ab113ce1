import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.shipped import shipped_bank
from torchstone.judge.host.client import Client

CONTENT = shipped_bank()


def source(number: str, name: str = "solution") -> Path:
    (found,) = [each.path for each in CONTENT.get(number).variants if each.name == name]
    return found


@pytest.fixture
def own_host(alone: Path) -> Iterator[None]:
    """Let the host of a learner of their own end with the test."""
    yield
    Client().stop()


@pytest.mark.pure
def test_bad_files_are_misuse_and_touch_nothing(run: Run, alone: Path) -> None:
    bad = alone.parent / "bad.py"
    bad.write_bytes(b"\xff")
    for path in (alone / "absent.py", alone, bad):
        done = run("submit", "01", "--file", path, "--json")
        assert done.code == 2
        assert done.json["ok"] is False
    assert list(alone.iterdir()) == []


@pytest.mark.pure
def test_the_way_of_a_learner_without_a_judge(run: Run, alone: Path) -> None:
    assert "does not exist" in run("submit", "01").err
    assert run("start", "01").out.strip() == str(alone / "01_softmax.py")
    (alone / "01_softmax.py").write_text("mine")
    assert "stays as it is" in run("start", "01").err
    assert "now" in run("start", "01", "--again").err
    assert run("hint", "01").err.strip() == "Hint 1 of 4"
    assert "not open yet" in run("hint", "01", "--rung", "4").err
    assert run("editorial", "01").code == 2
    assert run("solution", "01").code == 2
    assert "# solution" in run("solution", "01", "--give-up").out
    assert run("editorial", "01", "--lang", "zh").out.startswith("# ")
    assert "In the library" not in run("editorial", "01").out
    assert "There are no submissions yet" in run("history", "01").out
    assert "01 " in run("status").out


@pytest.mark.pure
def test_an_editorial_names_the_lines_of_the_library(run: Run) -> None:
    assert "data_parallel.py" not in run("editorial", "26").out
    run("solution", "26", "--give-up")
    place = re.compile(r"`DataParallel`: `torchstone/distributed/data_parallel.py:\d+`")
    assert place.search(run("editorial", "26").out)
    answer = run("editorial", "26", "--json").json
    assert answer["code"][0]["source"].startswith("class DataParallel(")


@pytest.mark.pure
def test_a_broken_problem_costs_only_itself(
    run: Run, alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank = alone.parent / "bank"
    (bank / "problems").mkdir(parents=True)
    (bank / "problems/05_relu_function").symlink_to(source("05").parent)
    (bank / "problems/01_softmax").mkdir()
    monkeypatch.setenv("TORCHSTONE_BANK", str(bank))
    done = run("list")
    assert done.code == 0
    assert "ReLU" in done.out
    assert "01_softmax is broken" in done.err
    assert run("show", "01").code == 3
    assert run("show", "05").code == 0
    assert run("bank", "check", "01").code == 1


@pytest.mark.pure
def test_a_full_disk_is_a_fault_that_says_so(alone: Path) -> None:
    program = (
        "import resource, signal, sys\n"
        "from torchstone.cli.main import main\n"
        "assert main(['start', '01']) == 0\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))\n"
        "sys.exit(main(['hint', '01', '--json']))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 3, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["code"] == "store.disk_full"


@pytest.mark.sandbox
@pytest.mark.torch
def test_a_file_is_judged_on_the_side(run: Run, judge_host: None) -> None:
    right = run("submit", "01", "--file", source("01"), "--json")
    assert (right.code, right.json["verdict"]) == (0, "AC")
    wrong = run("submit", "softmax", "--file", source("01", "no_shift"), "--json")
    assert wrong.code == 1
    assert (wrong.json["verdict"], wrong.json["group"]) == ("WA", "scale")
    assert wrong.json["misconception"] == "no_shift"
    assert wrong.json["isolation"] in ("full", "namespaces", "confined", "none")
    assert wrong.json["submission"] is None
    shown = run("submit", "01", "--file", source("01", "builtin"), "--lang", "zh")
    assert shown.code == 1
    assert "⊘ FORBIDDEN_OP" in shown.out
    assert "\x1b" not in shown.out


@pytest.mark.sandbox
@pytest.mark.torch
def test_a_submission_is_recorded_and_told_again(
    run: Run, judge_host: None, tmp_path: Path
) -> None:
    path = Path(run("start", "04").out.strip())
    path.write_text(source("04").read_text())
    assert run("run", "04").code == 0
    done = run("submit", "04", "--json").json
    assert (done["verdict"], done["attempt"]) == ("AC", 1)
    assert done["review"]["rating"] == 4
    submission = done["submission"]
    assert submission in run("history", "04").out
    assert "✓ AC" in run("history", "04", submission).out
    assert run("receipt", "show", submission, "--json").json["receipt"]["verdict"] == "AC"
    receipt = tmp_path / "receipt.json"
    assert run("receipt", "save", submission, receipt).code == 0
    assert run("receipt", "save", submission, receipt).code == 2
    verified = run("receipt", "verify", receipt)
    assert (verified.code, verified.out.strip()[:11]) == (0, "✓ Confirmed")
    assert "# solution" in run("solution", "04").out
    assert run("host", "status", "--json").json["runs"] is True


@pytest.mark.full
@pytest.mark.sandbox
@pytest.mark.torch
def test_a_run_of_the_samples_is_never_a_proof(run: Run, own_host: None) -> None:
    assert "· untouched" in run("show", "01").out
    path = Path(run("start", "01").out.strip())
    path.write_text(source("01").read_text())
    for lang, said in (("en", "▷ samples pass"), ("zh", "▷ 样例通过")):
        done = run("run", "01", "--lang", lang)
        assert done.code == 0
        assert said in done.out
        assert "AC" not in done.out
        assert "━" not in done.out
    shown = run("show", "01").out
    assert "○ begun, nothing submitted" in shown
    assert "last run of the samples: ▷ samples pass" in shown
    assert run("run", "01", "--json").json["kind"] == "run"
    path.write_text(source("01", "no_shift").read_text())
    assert run("submit", "01", "--json").json["kind"] == "submit"
    assert "○ last WA, " in run("show", "01").out
    path.write_text(source("01").read_text())
    proof = run("submit", "01", "--json").json
    count = f"{len(proof['cases'])}/{proof['planned']}"
    assert f"✓ proven {count} " in run("show", "01").out
    assert f"✓ 已证明 {count} " in run("show", "01", "--lang", "zh").out
    path.write_text("def softmax(x, dim=-1, dtype=None):\n    return x\n")
    assert "▷ samples: WA" in run("run", "01").out
    record = run("show", "01", "--json").json["record"]
    assert (record["last"]["verdict"], record["run"]["verdict"]) == ("AC", "WA")
    assert (record["num_submissions"], record["num_runs"]) == (2, 4)

    listed = run("history", "01").out
    assert "submissions: 2, runs of the samples: 4" in listed
    assert (listed.count("✓ AC"), listed.count("▷ samples pass")) == (1, 3)
    assert "▷" not in run("history", "01", "--submissions").out
    assert run("history", "01", "--runs", "--lang", "zh").out.count("▷ 样例通过") == 3
    answer = run("history", "01", "--runs", "--json").json
    assert [line["kind"] for line in answer["submissions"]] == ["run"] * 4
    again = run("history", "01", answer["submissions"][-1]["id"]).out
    assert "▷ samples pass" in again
    assert "AC" not in again
    assert "groups" in run("receipt", "show", answer["submissions"][-1]["id"]).out


@pytest.mark.pure
def test_a_statement_can_be_read_without_a_database(run: Run, alone: Path) -> None:
    data = Path(os.environ["TORCHSTONE_DATA"])
    (data / "torchstone.db").write_bytes(b"no database" * 1000)
    done = run("show", "01")
    assert done.code == 0
    assert "softmax" in done.out
    assert done.err
    assert run("show", "01", "--json").json["record"] is None


@pytest.mark.full
@pytest.mark.sandbox
@pytest.mark.torch
def test_two_typos_then_right_is_easy(run: Run, own_host: None) -> None:
    path = Path(run("start", "01").out.strip())
    for text in ("def softmax(x, dim=-1\n    return x\n", "def soft_max(x):\n    return x\n"):
        path.write_text(text)
        refused = run("submit", "01")
        assert "CE" in refused.out
        assert "does not count as a try" in " ".join(refused.out.split())
        assert "attempt" not in refused.out
    path.write_text(source("01").read_text())
    done = run("submit", "01", "--lang", "zh")
    assert "第 1 次尝试" in done.out
    assert "第一次尝试就通过" in done.out
    assert run("review", "01", "--json").json["reviews"][0]["rating"] == 4
    assert run("history", "01").out.count("no try") == 2
    assert run("history", "01", "--lang", "zh").out.count("不算尝试") == 2
    lines = run("history", "01", "--json").json["submissions"]
    assert [line["is_try"] for line in lines] == [True, False, False]
    (row,) = [row for row in run("list", "--json").json["problems"] if row["id"] == "01"]
    assert row["attempts"] == 1


@pytest.mark.sandbox
@pytest.mark.torch
@pytest.mark.full
def test_at_a_terminal_a_save_is_judged_and_the_next_problem_follows(judge_host: None) -> None:
    terminal = Terminal("watch", "08")
    try:
        terminal.wait_for("Press Ctrl-C to leave")
        path = Path(os.environ["TORCHSTONE_WORKSPACE"]) / "08_shared_mlp.py"
        path.write_text("def broken(:\n")
        terminal.wait_for("CE")
        path.write_text(source("08").read_text())
        terminal.wait_for("✓ AC")
        # The next one is being watched.
        terminal.wait_for("Statement: torchstone show")
        terminal.write(b"\x03")
        assert terminal.exit_code() == 0
    finally:
        terminal.close()


class Terminal:
    """The program at a terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            os.environ |= {"COLUMNS": "78", "TERM": "xterm-256color"}
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.execv(sys.executable, [sys.executable, "-m", "torchstone", *arguments])
        self._seen = ""

    def wait_for(self, words: str, seconds: float = 120) -> None:
        deadline = time.monotonic() + seconds
        while words not in self._seen:
            assert time.monotonic() < deadline, self._seen[-2000:]
            if select.select([self._fd], [], [], 0.2)[0]:
                self._seen += os.read(self._fd, 1 << 16).decode(errors="replace")
        self._seen = self._seen.partition(words)[2]

    def write(self, keys: bytes) -> None:
        os.write(self._fd, keys)

    def exit_code(self) -> int:
        _, status = os.waitpid(self._pid, 0)
        self._pid = 0
        return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        os.close(self._fd)


def test_titles_stand_in_one_column_under_ids_of_any_length(run: Run) -> None:
    lines = run("list").out.splitlines()
    # A title that is too long goes on in a line of its own.
    starts = {line.index("★") for line in lines if "★" in line}
    assert any("42op" in line for line in lines)
    assert len(starts) == 1
