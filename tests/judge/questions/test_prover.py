"""Plant faults in copies of a topic, one a question: the check finds each, and nothing else."""

from collections.abc import Callable

import pytest

from torchstone.bank.questions import Topic

pytestmark = pytest.mark.plain

ONE, TWO, THREE, FOUR = (f"2.1.2.1.{number}" for number in (1, 2, 3, 4))
SPLIT = "split = turned.view"
SLEEPER = "import subprocess\n\nsleeper = subprocess.Popen(['sleep', '60'])\n"
BUSY = "import time\n\nwhile time.process_time() % 1 < 0.9:\n    pass\n"

# Question, code, file, and the text that another one replaces; each list is one copy of the topic.
PLANTS = [
    [
        (ONE, "TS-Q02", "demo.py", "# > (4, 1)", "# > (1, 4)"),
        (TWO, "TS-Q02", "demo.py", SPLIT, "open('kept', 'w').close()\n" + SPLIT),
        (THREE, "TS-Q03", "topic.toml", 'by = ["reshape-does-not-turn"', 'by = ["turns"'),
        (FOUR, "TS-Q02", "demo.py", "one = torch", "raise KeyError('gone')\none = torch"),
    ],
    [
        (ONE, "TS-Q04", "demo.py", "assert shares(grid, x)", "assert grid.shape == (3, 4)"),
        (TWO, "TS-Q02", "demo.py", SPLIT, SLEEPER + SPLIT),
        (THREE, "TS-Q04", "topic.toml", 'to = "x.permute(2, 0, 1)"', 'to = "x.permute(2, 0, 5)"'),
        (FOUR, "TS-Q03", "demo.py", "squeeze(0).shape == (4, 1, 8)", "squeeze(0).shape == (4, 8)"),
    ],
    [
        (ONE, "TS-Q04", "topic.toml", 'from = "x.view(3, 4)"', 'from = "x.view(4, 3)"'),
        (TWO, "TS-Q02", "demo.py", SPLIT, BUSY + SPLIT),
        (THREE, "TS-Q08", "demo.py", "image = ", "warnings.warn('deprecated')\nimage = "),
        (FOUR, "TS-Q04", "topic.toml", 'to = "row + row"', 'to = "row + row)"'),
        ("", "TS-Q08", "topic.toml", 'torch = "2.13.0"', 'torch = "2.12.0"'),
    ],
]


@pytest.mark.full
def test_each_planted_fault_gives_its_code_alone(
    planted: Callable[..., Topic], prove_all: Callable[..., dict]
) -> None:
    clean = planted()
    copies = [planted(*(plant[2:] for plant in plants)) for plants in PLANTS]
    text = ("en.md", "The cost then grows", "See `torch.gone()`: the cost then grows")
    gone = planted(text, ("zh.md", "此时代价", "见 `torch.gone()`：此时代价"))
    proofs = prove_all([clean, *copies, gone])

    assert proofs[clean.path].findings == ()
    for plants, topic in zip(PLANTS, copies, strict=True):
        found = proofs[topic.path].findings
        for question, code, *_ in plants:
            assert {f.code for f in found if f.question == question} == {code}, (question, found)
    (finding,) = proofs[gone.path].findings
    assert (finding.code, finding.question) == ("TS-Q08", ONE)
    assert finding.said_in("zh") == "当前的 torch 没有 `torch.gone`。"


def test_a_topic_of_processes_runs(
    planted: Callable[..., Topic], prove_all: Callable[..., dict]
) -> None:
    # Its changes take fifteen seconds; `questions check` tries them.
    topic = planted(name="8.1.2.2_using_ddp")
    assert prove_all([topic], changes=False)[topic.path].findings == ()
