"""The attacks on programs of several processes, judged by an ordinary user.

The same tests run once more in a process of that user: there no control group and no other uid
holds a job, only its namespaces.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.judge import ordinary_user
from tests.judge.attacks.warm_cache import copy_warm_cache
from torchstone.judge.sandbox.levels import probe_machine

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.attack,
    pytest.mark.full,
]

ROOT = Path(__file__).parents[2]
# What each kind has at least; a test that is lost would not be missed otherwise.
NUM_ATTACKS = {"loader": 19, "distributed": 40, "restarts": 40, "launches": 36}


@pytest.fixture(scope="module")
def folder_of_the_user() -> Iterator[Path]:
    # Not below pytest's own folder, which only this user may enter.
    folder = Path(tempfile.mkdtemp(prefix="torchstone-arena-"))
    try:
        copy_warm_cache(folder / "cache")
        for path in (folder, *folder.rglob("*")):
            os.chown(path, ordinary_user.NOBODY, ordinary_user.NOBODY)
        yield folder
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("kind", NUM_ATTACKS)
def test_every_wall_holds_for_a_judge_without_rights(kind: str, folder_of_the_user: Path) -> None:
    if not probe_machine().is_root:
        return  # The files themselves are run by an ordinary user already.
    folder = folder_of_the_user
    environment = dict(os.environ, TMPDIR=str(folder))
    for name in ("CACHE", "DATA", "RUNTIME", "CONFIG"):
        environment[f"TORCHSTONE_{name}"] = str(folder / name.lower())
    options = [
        "-q",
        "-n0",
        "-p",
        "no:cacheprovider",
        "-k",
        "namespaces",
        "--basetemp",
        folder / kind,
    ]
    argv = [sys.executable, "-m", "pytest", *options, f"tests/judge/{kind}/test_attacks.py"]
    done = subprocess.run(
        ordinary_user.command([str(word) for word in argv], needed=[ROOT, folder]),
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    num_passed = int(done.stdout.rpartition(" passed")[0].split()[-1])
    assert num_passed >= NUM_ATTACKS[kind], done.stdout[-500:]
