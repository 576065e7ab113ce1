"""Times and sizes on the page, and in the terminal, where a unit ends."""

import pytest

from tests.web.page_functions import run
from torchstone.cli import times

pytestmark = [pytest.mark.web, pytest.mark.full]


def test_a_thousand_of_a_unit_is_one_of_the_next() -> None:
    calls = {
        "f.times.sayTime(0.042)": "0.042 ms",
        "f.times.sayTime(4.21)": "4.2 ms",
        "f.times.sayTime(99.4)": "99 ms",
        "f.times.sayTime(99.5)": "100 ms",
        "f.times.sayTime(999.4)": "999 ms",
        "f.times.sayTime(999.7)": "1.00 s",
        "f.times.sayBytes(999)": "999 B",
        "f.times.sayBytes(999_499)": "999 kB",
        "f.times.sayBytes(999_700)": "1 MB",
        "f.times.sayBytes(4_120_000)": "4.12 MB",
    }
    answers = run([(f"() => {code}", []) for code in calls])
    assert [each["value"] for each in answers] == list(calls.values())


@pytest.mark.parametrize(
    ("num_bytes", "said"),
    [(999, "999 B"), (999_499, "999 kB"), (999_700, "1 MB"), (4_120_000, "4.12 MB")],
)
def test_the_terminal_says_a_size_as_the_page_does(num_bytes: float, said: str) -> None:
    assert times._say_bytes(num_bytes) == said
