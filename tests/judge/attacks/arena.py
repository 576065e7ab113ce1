"""Start an arena (`arena_process.py`) at a level, as this user or as nobody, and ask it."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.judge import ordinary_user
from tests.judge.attacks.attack import Attack
from tests.judge.attacks.warm_cache import copy_warm_cache
from torchstone.bank.loader import CONTENT
from torchstone.core.isolation import Isolation
from torchstone.judge.sandbox.levels import achieved, probe_machine

BANK = Path(__file__).with_name("bank")
JUDGED = (
    *("01_softmax", "02_cross_entropy", "03_broadcast", "04_linear_backward"),
    *("06_gradient_hooks", "09_simple_rnn"),
)
ROOT = Path(__file__).parents[3]
HONEST = """
import builtins
import sys

import torch

holders = (torch, builtins, torch.Tensor, sys.modules["child.driver"])
assert not any(hasattr(holder, "left_behind") for holder in holders), "a job left something"
assert "left_behind" not in sys.modules
"""


@dataclass(frozen=True, slots=True)
class Setting:
    """A level, and who runs the judge."""

    level: Isolation
    as_nobody: bool = False

    def __str__(self) -> str:
        return f"{self.level}-{'nobody' if self.as_nobody else 'self'}"


def settings_here() -> list[Setting]:
    """List what this machine can be tested at, the strongest first."""
    machine = probe_machine()
    best = achieved(machine)
    levels = [best, *(lv for lv in (Isolation.CONFINED,) if best.is_at_least(lv) and lv != best)]
    users = [False, True] if machine.is_root else [False]
    return [Setting(level, as_nobody) for level in levels for as_nobody in users]


@dataclass(slots=True)
class Arena:
    """One arena."""

    process: subprocess.Popen[str]
    secret: Path
    bank: Path
    isolation: str = ""

    def face(self, attack: Attack) -> dict[str, Any]:
        """Judge an attack between honest jobs."""
        source = attack.source.replace("@SECRET@", str(self.secret))
        request = {
            "source": source.replace("@BANK@", str(CONTENT / "problems")),
            "problem": attack.problem,
            "groups": attack.groups,
            "honest": HONEST + (CONTENT / "problems/01_softmax/solution.py").read_text(),
            "explain": attack.family in ("answers", "channel"),
        }
        return self.ask(request)

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send one request and take its answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the arena has ended with {self.process.wait(timeout=60)}"
        answer: dict[str, Any] = json.loads(line)
        assert "fault" not in answer, answer["fault"]
        return answer


@contextmanager
def open_arena(setting: Setting) -> Iterator[Arena]:
    """Start an arena; it ends with the block."""
    # Not below pytest's own folder, which only this user may enter.
    folder = Path(tempfile.mkdtemp(prefix="torchstone-arena-"))
    try:
        arena = _start(setting, folder)
        try:
            yield arena
        finally:
            assert arena.process.stdin is not None
            arena.process.stdin.close()
            assert arena.process.wait(timeout=60) == 0
            arena.process.stdout.close()  # type: ignore[union-attr]
    finally:
        shutil.rmtree(folder)


def _start(setting: Setting, folder: Path) -> Arena:
    bank, secret = folder / "bank", folder / "secret.txt"
    shutil.copytree(BANK, bank)
    for name in JUDGED:
        shutil.copytree(CONTENT / "problems" / name, bank / "problems" / name)
    secret.write_text("the host's secret\n")
    environment = dict(os.environ)
    program = Path(__file__).with_name("arena_process.py")
    argv = [sys.executable, str(program), str(bank), setting.level]
    if setting.as_nobody:
        for name in ("CACHE", "DATA", "RUNTIME", "CONFIG"):
            environment[f"TORCHSTONE_{name}"] = str(folder / name.lower())
        copy_warm_cache(folder / "cache")
        _give_away(folder)
        argv = ordinary_user.command(argv, needed=[ROOT, folder])
    process = subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        cwd="/",
    )
    assert process.stdout is not None
    hello = json.loads(process.stdout.readline() or "{}")
    assert hello, "the arena did not start"
    return Arena(process, secret, bank, hello["isolation"])


def _give_away(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, ordinary_user.NOBODY, ordinary_user.NOBODY)
