import pytest

from torchstone.judge.excerpt import excerpt

pytestmark = pytest.mark.pure

TRACEBACK = "\n".join(
    [
        "the compiler's sandbox failed (closed): Traceback (most recent call last):",
        *(f'  File "<frozen runpy>", line {number}, in call' for number in range(100)),
        "PermissionError: [Errno 1] Operation not permitted: '/usr/bin/addr2line'",
    ]
)


def test_a_short_text_stays_as_it_is() -> None:
    assert excerpt(" one\ntwo \n", max_chars=7) == "one\ntwo"


@pytest.mark.parametrize("max_chars", [300, 600, 1500])
def test_the_first_and_the_last_line_of_an_exception_stay(max_chars: int) -> None:
    short = excerpt(TRACEBACK, max_chars=max_chars)
    lines = short.splitlines()
    assert lines[0] == TRACEBACK.splitlines()[0]
    assert lines[1] == "…"
    assert lines[-1] == TRACEBACK.splitlines()[-1]
    assert max_chars - 60 < len(short) <= max_chars


def test_a_last_line_that_is_too_long_keeps_the_type_and_the_end() -> None:
    short = excerpt("Traceback\n" * 9 + "ValueError: " + "x" * 9000 + " end", max_chars=200)
    assert len(short) <= 200
    assert short.splitlines()[0] == "Traceback"
    assert short.splitlines()[-1].startswith("ValueError: x")
    assert short.endswith("x end")


def test_a_single_line_loses_its_middle() -> None:
    assert excerpt("ab" * 50, max_chars=9) == "abab…abab"


@pytest.mark.parametrize("max_chars", range(20, 60))
def test_the_result_is_never_longer_than_asked(max_chars: int) -> None:
    for text in ("x" * 99, "a\n" * 99, "word\n" + "y" * 99, "z" * 99 + "\nlast"):
        assert len(excerpt(text, max_chars=max_chars)) <= max_chars
