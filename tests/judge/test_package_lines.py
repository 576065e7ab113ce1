"""An error in a package names the learner's file and the line within it."""

import pytest

from torchstone.core.bundle import write_bundle
from torchstone.judge.messages import Raised
from torchstone.judge.package_lines import line_of, place_error

pytestmark = pytest.mark.pure

PACKAGE = write_bundle(
    {"setup.py": "a\n  b\n", "src/pkg/__init__.py": "x\ny\n", "csrc/a.cpp": "int\n"}
)


def at(file: str | None, line: int | None, text: str = "") -> Raised:
    return Raised(type="E", message="m", line=line, text=text, file=file)


@pytest.mark.parametrize(
    ("found", "placed"),
    [
        (at("setup.py", 2), at("setup.py", 2, "b")),
        # Installed from a folder of the package.
        (at("pkg/__init__.py", 2), at("src/pkg/__init__.py", 2, "y")),
        (at("csrc/a.cpp", 9), at("csrc/a.cpp", 9)),
        # Not a file of the package: it may be invented.
        (at("../../etc/passwd", 1), at(None, None)),
        (at("py", 1), at(None, None)),
        (at(None, 3, "kept"), at(None, 3, "kept")),
    ],
)
def test_the_file_is_the_one_that_the_learner_wrote(found: Raised, placed: Raised) -> None:
    assert place_error(found, PACKAGE) == placed


def test_what_is_in_two_folders_has_no_place() -> None:
    twice = write_bundle({"a/m.py": "1\n", "b/m.py": "2\n"})
    assert place_error(at("m.py", 1), twice) == at(None, None)


def test_no_error_and_no_package_stay_as_they_are() -> None:
    assert place_error(None, PACKAGE) is None
    assert place_error(at("a.py", 1), "x = 1\n") == at(None, None)


def test_a_line_is_that_of_the_file_or_of_the_whole_text() -> None:
    assert line_of(PACKAGE, 2, "setup.py") == "b"
    assert line_of(PACKAGE, 2, "absent.py") == ""
    assert line_of("x\n y \n", 2, None) == "y"
    assert line_of("x\n", 5, None) == line_of("x\n", 0, None) == ""
