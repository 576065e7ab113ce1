"""A comparison can be followed from the first text to the second, and is over soon."""

import re
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.app.home import Home
from torchstone.app.judging.comparing import (
    CONTEXT,
    Comparison,
    compare_submissions,
    compare_texts,
)
from torchstone.core.errors import NotFound

pytestmark = pytest.mark.pure

# Few different lines, so that many of them are equal.
TEXTS = st.lists(st.sampled_from(["", "a", "b", "c"]), max_size=40).map("\n".join)


def lines(text: str) -> list[str]:
    return re.split(r"\r\n|\r|\n", text) if text else []


def drawn(found: Comparison) -> list[str]:
    return [line.mark + line.text for hunk in found.hunks for line in hunk.lines]


def replay(found: Comparison, old: list[str]) -> list[str]:
    """Make the second text of the first, as `patch` would."""
    new, done = [], 0
    for hunk in found.hunks:
        for line in hunk.lines:
            if line.old_line is not None:
                new += old[done : line.old_line - 1]
                done = line.old_line
                assert old[done - 1] == line.text
            if line.new_line is not None:
                new.append(line.text)
                assert line.new_line == len(new)
    return new + old[done:]


def check(first: str, second: str) -> Comparison:
    found = compare_texts(first, second)
    assert replay(found, lines(first)) == lines(second)
    marks = [line.mark for hunk in found.hunks for line in hunk.lines]
    assert (marks.count("-"), marks.count("+")) == (found.num_removed, found.num_added)
    for hunk in found.hunks:
        for line in hunk.lines:
            assert (line.old_line is None) == (line.mark == "+")
            assert (line.new_line is None) == (line.mark == "-")
    return found


@given(TEXTS, TEXTS)
def test_the_second_text_follows_from_the_first(first: str, second: str) -> None:
    found = check(first, second)
    assert (found.hunks == ()) == (first == second)
    assert not found.is_coarse


@given(TEXTS, TEXTS)
def test_each_hunk_has_its_context_and_no_more(first: str, second: str) -> None:
    for hunk in check(first, second).hunks:
        same = "".join("=" if line.mark == " " else "!" for line in hunk.lines)
        before, *between, behind = re.split("!+", same)
        assert max(len(before), len(behind)) <= CONTEXT
        assert all(len(each) <= 2 * CONTEXT for each in between)


@given(TEXTS, TEXTS)
def test_the_way_back_is_as_long(first: str, second: str) -> None:
    there, back = compare_texts(first, second), compare_texts(second, first)
    assert len(lines(first)) - there.num_removed + there.num_added == len(lines(second))
    assert len(lines(second)) - back.num_removed + back.num_added == len(lines(first))


def test_changes_far_apart_are_shown_apart() -> None:
    old = [str(number) for number in range(30)]
    for gap, count in ((7, 1), (8, 2)):
        new = [*old]
        new[5] = new[5 + gap] = "changed"
        found = check("\n".join(old), "\n".join(new))
        assert len(found.hunks) == count
    first, second = found.hunks
    numbers = [(line.mark, line.old_line, line.new_line) for line in second.lines]
    assert numbers[:4] == [(" ", 11, 11), (" ", 12, 12), (" ", 13, 13), ("-", 14, None)]
    assert len(first.lines) == 2 * CONTEXT + 2


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("", "", []),
        ("a", "", ["-a"]),
        ("", "a\n", ["+a", "+"]),
        ("a", "a\n", [" a", "+"]),
        ("a\r\nb\rc\n", "a\nb\nc\n", []),
        ("a\n\x0cb\u2028c", "a\n\x0cb\u2028c", []),
        ("x\ny\n", "x\nz\n", [" x", "-y", "+z", " "]),
    ],
)
def test_small_differences(first: str, second: str, expected: list[str]) -> None:
    assert drawn(compare_texts(first, second)) == expected


LONG = 1 << 17
HOSTILE = {
    "equal lines": ("\n" * LONG, "\n" * (LONG - 5)),
    "equal lines between two": ("a" + "\n" * LONG + "b", "c" + "\n" * LONG + "d"),
    "different lines": (
        "\n".join(f"x{number}" for number in range(200_000)),
        "\n".join(f"y{number}" for number in range(200_000)),
    ),
    "two letters": ("ab\n" * 40_000, "ba\n" * 40_000),
    "every second line equal": (
        "\n".join(f"x{number // 2}" if number % 2 else "e" for number in range(6000)),
        "\n".join(f"y{number // 2}" if number % 2 else "e" for number in range(6001)),
    ),
    "unlike but for lines that are there once": (
        "\n".join(f"x{number // 2}" if number % 2 else f"u{number}" for number in range(30_000)),
        "\n".join(f"y{number // 2}" if number % 2 else f"u{number}" for number in range(30_001)),
    ),
    "one long line": ("x" * LONG, "y" * LONG),
}
# These are not compared to the end, and say so.
COARSE = {
    "equal lines between two",
    "every second line equal",
    "unlike but for lines that are there once",
}


@pytest.mark.parametrize("name", HOSTILE)
# Without a bound some of these take hours.
@pytest.mark.full
@pytest.mark.timeout(60)
def test_no_two_texts_take_long(name: str) -> None:
    first, second = HOSTILE[name]
    assert check(first, second).is_coarse == (name in COARSE)


def test_a_long_program_is_compared_line_by_line() -> None:
    old = [f"    x = {number}" if number % 6 else "" for number in range(3000)]
    new = [line for number, line in enumerate(old) if number % 100]
    found = check("\n".join([*old, "end"]), "\n".join(["begin", *new]))
    assert not found.is_coarse
    assert (found.num_removed, found.num_added) == (31, 1)


def test_submissions_are_named_by_their_ids(home: Home, record: Callable[..., str]) -> None:
    first = record()
    with home.open_store() as store:
        second = store.add_submission("01", "return 1\n", client_key="other")
    found = compare_submissions(home, first[:8], second)
    assert (found.first, found.second) == (first, second)
    assert drawn(found) == ["-pass", "+return 1", " "]
    assert msgspec.to_builtins(found)["hunks"][0]["lines"][0]["old_line"] == 1
    with pytest.raises(NotFound):
        compare_submissions(home, first, "ffffffffffff")


PACKAGE = "# c\n=== a.py\nx = 1\n=== b.py\ny = 2\n=== gone.py\nz\n"


def placed(found: Comparison) -> list[tuple[str | None, list[tuple[str, int | None, int | None]]]]:
    return [
        (hunk.file, [(line.mark + line.text, line.old_line, line.new_line) for line in hunk.lines])
        for hunk in found.hunks
    ]


def test_packages_are_compared_file_by_file() -> None:
    other = "# d\n=== new.py\n=== b.py\ny = 3\n=== a.py\nx = 1\n"
    found = compare_texts(PACKAGE, other)
    assert placed(found) == [
        (None, [("-# c", 1, None), ("+# d", None, 1), (" ", 2, 2)]),
        ("new.py", []),
        ("b.py", [("-y = 2", 1, None), ("+y = 3", None, 1), (" ", 2, 2)]),
        ("gone.py", [("-z", 1, None), ("-", 2, None)]),
    ]
    assert (found.num_removed, found.num_added, found.is_coarse) == (4, 2, False)
    assert compare_texts(PACKAGE, PACKAGE.replace("\n", "\r\n")).hunks == ()


def test_a_text_that_is_no_package_is_compared_whole() -> None:
    found = compare_texts(PACKAGE, "x = 1\n")
    assert {hunk.file for hunk in found.hunks} == {None}
    assert replay(found, lines(PACKAGE)) == lines("x = 1\n")


def test_many_files_share_the_limit_of_work() -> None:
    """Without it each of 64 files would take half a second."""
    first = "".join(f"=== f{n}\n" + "a\nb\n" * 500 for n in range(64))
    second = "".join(f"=== f{n}\n" + "b\nb\na\n" * 300 for n in range(64))
    found = compare_texts(first, second)
    assert found.is_coarse
