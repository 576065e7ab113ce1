"""A package that does not build names the file and the line."""

from pathlib import Path

import pytest

from torchstone.judge.build.refusals import Refused
from torchstone.judge.build.wheel import _failed, _refuse_files

pytestmark = pytest.mark.pure

CWD = Path("/box/source")
FILES = {"setup.py": "x", "csrc/a.cpp": "y", "pyproject.toml": ""}


@pytest.mark.parametrize(
    ("said", "file", "line"),
    [
        ('File "/lib/s.py", line 9\n  File "/box/source/setup.py", line 3\nE: no', "setup.py", 3),
        ('File "/box/source/setup.py", line 3\n  File "/lib/x.py", line 9\nE: no', "setup.py", 3),
        ('File "setup.py", line 4\nE: no', "setup.py", 4),
        ('File "/box/source/other.py", line 4\nE: no', "", 0),
        ("E: no", "", 0),
    ],
)  # fmt: skip
def test_a_traceback_names_the_file_of_the_package(said: str, file: str, line: int) -> None:
    reply = _failed("build_sdist", said, FILES, CWD)
    assert (reply["key"], reply["word"]) == ("package_build", "build_sdist: E: no")
    assert (reply["file"], reply["line"]) == (file, line)


def test_a_message_of_the_compiler_names_its_file() -> None:
    reply = _failed("build_wheel", "csrc/a.cpp:2:5: error: expected ';'\n", FILES, CWD)
    assert (reply["file"], reply["line"]) == ("csrc/a.cpp", 2)
    assert reply["word"].startswith("csrc/a.cpp: ")


def test_a_fault_of_the_project_file_has_its_line() -> None:
    with pytest.raises(Refused) as caught:
        _refuse_files({"pyproject.toml": "[project]\nx = = 1\n"})
    reply = caught.value.reply
    assert (reply["key"], reply["file"], reply["line"]) == ("package_toml", "pyproject.toml", 2)


def test_a_refused_header_has_its_file_and_line() -> None:
    project = '[build-system]\nbuild-backend = "setuptools.build_meta"\n'
    files = {"pyproject.toml": project, "csrc/a.cpp": "\n#include <torch/extension.h>\n"}
    with pytest.raises(Refused) as caught:
        _refuse_files(files)
    assert (caught.value.reply["file"], caught.value.reply["line"]) == ("csrc/a.cpp", 2)
