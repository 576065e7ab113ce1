"""A program of events prints whole lines, and ends in order however it is ended."""

import json
import subprocess
import sys

import pytest

from torchstone.core.event_program import INTERRUPTED, run_to_end, write_event

pytestmark = pytest.mark.pure

# It prints until no one reads, much more than a pipe holds.
ENDLESS = """
import sys
from torchstone.core.event_program import run_to_end, write_event

def run():
    while True:
        write_event({"event": "step"})

sys.exit(run_to_end(run))
"""


def test_an_event_is_a_line_of_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    write_event({"event": "end", "path": "\udcff\n\u8bd5"})
    line = capsys.readouterr().out
    assert line.isascii()
    assert line.count("\n") == 1
    assert json.loads(line) == {"event": "end", "path": "\udcff\n\u8bd5"}


def test_a_number_that_json_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        write_event({"loss": float("nan")})


@pytest.mark.parametrize("code", [0, 1, 2])
def test_the_exit_code_is_that_of_the_program(code: int) -> None:
    assert run_to_end(lambda: code) == code


def test_an_interruption_is_an_exit_code() -> None:
    def run() -> int:
        raise KeyboardInterrupt

    assert run_to_end(run) == INTERRUPTED == 130


def test_an_error_of_the_program_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        run_to_end(lambda: 1 // 0)


def test_a_reader_that_leaves_ends_the_program_without_a_traceback() -> None:
    command = [sys.executable, "-c", ENDLESS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline()) == {"event": "step"}
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1
