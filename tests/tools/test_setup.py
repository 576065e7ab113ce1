import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.pure

ROOT = Path(__file__).resolve().parents[2]


class Checkout:
    """A copy of what setup reads, with a Python that only writes down what it was asked."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("requirements.lock", "pyproject.toml"):
            shutil.copy(ROOT / name, root / name)
        (root / "tools").mkdir()
        shutil.copy(ROOT / "tools/setup.sh", root / "tools/setup.sh")
        self.script("tools/preflight.sh", "exit 0")
        self.script(".venv/bin/python", f'echo "$*" >> {root}/calls')

    def script(self, name: str, body: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def setup(self, **environ: str) -> tuple[int, list[str]]:
        calls = self.root / "calls"
        calls.write_text("")
        done = subprocess.run(
            ["/bin/sh", "tools/setup.sh"],
            cwd=self.root,
            env={"PATH": "/usr/bin:/bin", **environ},
            capture_output=True,
        )
        return done.returncode, calls.read_text().splitlines()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_setup_announces_first_and_then_installs_under_the_lock(checkout: Checkout) -> None:
    status, calls = checkout.setup(TORCHSTONE_PIP_ARGS="--find-links /wheels")
    assert status == 0
    assert calls[0] == "tools/pending.py requirements.lock"
    installs = [call for call in calls if call.startswith("-m pip install")]
    assert calls[1:] == installs
    assert len(installs) == 2
    for call in installs:
        assert "--constraint requirements.lock --find-links /wheels" in call


def test_setup_does_nothing_the_second_time(checkout: Checkout) -> None:
    checkout.setup()
    assert checkout.setup() == (0, [])


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("/w/torch-2.13.0+cpu.whl", "/w/torch-2.13.0+cpu.whl"),
        ("/wheels", "--upgrade --no-index --find-links /wheels torch==2.13.0"),
        ("https://index.test/cpu", "--upgrade --index-url https://index.test/cpu torch==2.13.0"),
    ],
)
def test_torch_alone_comes_from_where_the_variable_says(
    checkout: Checkout, source: str, options: str
) -> None:
    status, calls = checkout.setup(TORCHSTONE_TORCH=source)
    assert status == 0
    assert [call.startswith("-m pip install") for call in calls] == [False, True, True, True]
    assert calls[1].endswith(f"--constraint requirements.lock --no-deps {options}")
    assert not any(source in call for call in calls[2:])


def test_a_torch_that_was_chosen_stays_until_another_one_is_chosen(checkout: Checkout) -> None:
    checkout.setup(TORCHSTONE_TORCH="/wheels")
    assert checkout.setup(TORCHSTONE_TORCH="/wheels") == (0, [])
    assert checkout.setup() == (0, [])
    assert "/others" in checkout.setup(TORCHSTONE_TORCH="/others")[1][1]
    assert checkout.setup(TORCHSTONE_TORCH="/wheels")[1] != []


@pytest.mark.parametrize("name", ["requirements.lock", "pyproject.toml"])
def test_setup_works_again_when_what_it_reads_has_changed(checkout: Checkout, name: str) -> None:
    checkout.setup()
    (checkout.root / name).write_text("# changed\n")
    status, calls = checkout.setup()
    assert status == 0
    assert calls


def test_a_failed_setup_is_not_taken_for_a_finished_one(checkout: Checkout) -> None:
    checkout.script(".venv/bin/python", "exit 7")
    assert checkout.setup()[0] != 0
    checkout.script(".venv/bin/python", f'echo "$*" >> {checkout.root}/calls')
    assert checkout.setup()[1] != []


def test_a_failed_preflight_stops_setup(checkout: Checkout) -> None:
    checkout.script("tools/preflight.sh", "exit 1")
    status, calls = checkout.setup()
    assert status != 0
    assert calls == []
