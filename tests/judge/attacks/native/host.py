"""Start a judge of native code (`judging.py`) at a level, as this user or as nobody, and ask it."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.judge import ordinary_user
from tests.judge.attacks.arena import Setting
from tests.judge.attacks.native.attack import Attack
from tests.judge.attacks.warm_cache import copy_warm_cache
from torchstone.core.isolation import Isolation
from torchstone.judge.sandbox.levels import achieved, probe_machine

ROOT = Path(__file__).parents[4]
GROUPS = ("sample", "small", "broadcast", "inplace")
SECRET = "the host's own secret"


def settings_here() -> list[Setting]:
    """List what this machine can be tested at, the strongest first."""
    machine = probe_machine()
    best = achieved(machine)
    weaker = [each for each in (Isolation.NAMESPACES, Isolation.CONFINED) if each != best]
    levels = [best, *(level for level in weaker if best.is_at_least(level))]
    as_self = [Setting(level) for level in levels]
    if not machine.is_root:
        return as_self
    return [*as_self, Setting(best, as_nobody=True), Setting(Isolation.CONFINED, as_nobody=True)]


@dataclass(slots=True)
class Host:
    """One judge, and what lies beside it on its machine."""

    process: subprocess.Popen[str]
    secret: Path
    outside: Path
    isolation: str = ""

    def face(self, attack: Attack) -> dict[str, Any]:
        """Judge an attack."""
        source = attack.source.replace("@SECRET@", str(self.secret))
        return self.ask(source=source.replace("@OUTSIDE@", str(self.outside)), groups=GROUPS)

    def judge_the_solution(self, groups: Sequence[str] = ("sample",)) -> dict[str, Any]:
        """Judge what is right."""
        return self.ask(groups=groups)

    def ask(self, **request: object) -> dict[str, Any]:
        """Send one request and take its answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "the judge has ended"
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def open_host(setting: Setting) -> Iterator[Host]:
    """Start a judge; it ends with the block."""
    # Not below pytest's own folder, which only this user may enter.
    folder = Path(tempfile.mkdtemp(prefix="torchstone-native-"))
    folder.chmod(0o755)
    try:
        host = _start(setting, folder)
        try:
            yield host
        finally:
            assert host.process.stdin is not None
            host.process.stdin.close()
            assert host.process.wait(timeout=60) == 0
            host.process.stdout.close()  # type: ignore[union-attr]
    finally:
        shutil.rmtree(folder)


def _start(setting: Setting, folder: Path) -> Host:
    secret, outside = folder / "secret.txt", folder / "outside"
    # Whoever reaches it may read the one and write into the other: no permission stands in the way.
    secret.write_text(f"{SECRET}\n", encoding="utf-8")
    outside.mkdir()
    outside.chmod(0o777)
    environment = dict(os.environ)
    argv = [sys.executable, str(Path(__file__).with_name("judging.py")), setting.level]
    if setting.as_nobody:
        for name in ("CACHE", "DATA", "RUNTIME", "CONFIG"):
            environment[f"TORCHSTONE_{name}"] = str(folder / name.lower())
        copy_warm_cache(folder / "cache")
        for path in (folder, *folder.rglob("*")):
            os.chown(path, ordinary_user.NOBODY, ordinary_user.NOBODY)
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
    assert hello, "the judge did not start"
    return Host(process, secret, outside, hello["isolation"])
