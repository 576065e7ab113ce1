import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from torchstone.bank import load_bank

CONTENT = load_bank()


def source(number: str, name: str = "solution") -> Path:
    (found,) = [each.path for each in CONTENT.get(number).variants if each.name == name]
    return found


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
    assert "There are no submissions yet" in run("history", "01").out
    assert "01 " in run("status").out


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


@pytest.mark.sandbox
@pytest.mark.torch
@pytest.mark.slow
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
