import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.pure

SCRIPT = Path(__file__).resolve().parents[2] / "tools/fresh_system.sh"
APT = """
case "$1" in
indextargets) printf 'Other|Other|http://other.example/\\nDebian|Debian-Security|http://sec.example/\\n'
    printf 'Debian|Debian|http://mirror.example/debian/\\n' ;;
*) exit 100 ;;
esac
"""


class Machine:
    """A machine with stubs in front of its programs, and a folder for what is temporary."""

    def __init__(self, folder: Path) -> None:
        self.bin, self.tmp, self.home = folder / "bin", folder / "tmp", folder / "home"
        for each in (self.bin, self.tmp, self.home):
            each.mkdir()
        self.add("id", "echo 0")
        self.add("unshare", "exit 0")
        self.add("apt-get", APT)
        self.add("debootstrap", f'echo "$@" >{folder}/asked; echo no such suite; exit 1')
        self.asked = folder / "asked"

    def add(self, name: str, body: str) -> None:
        (self.bin / name).write_text(f"#!/bin/sh\n{body}\n")
        (self.bin / name).chmod(0o755)

    def start(self, name: str, **environ: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(SCRIPT), name],
            env={"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.home)}
            | {"TMPDIR": str(self.tmp)}
            | environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, name: str, **environ: str) -> tuple[int, str]:
        process = self.start(name, **environ)
        _, error = process.communicate(timeout=60)
        return process.returncode, error


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_an_unknown_system_is_a_misuse(machine: Machine) -> None:
    status, error = machine.run("debian11")
    assert status == 2
    assert error.splitlines() == ["fresh: FRESH is debian12 or debian13, not 'debian11'."]


@pytest.mark.parametrize(
    ("stub", "body", "why"),
    [
        ("id", "echo 1000", "root"),
        ("apt-get", "exit 100", "mirror"),
        ("unshare", "exit 1", "name spaces"),
        ("debootstrap", "echo I: begins; echo E: no such suite; exit 1", "E: no such suite"),
    ],
)
def test_where_it_cannot_be_made_one_line_says_why(
    machine: Machine, stub: str, body: str, why: str
) -> None:
    machine.add(stub, body)
    status, error = machine.run("debian13")
    assert status == 75
    (line,) = error.splitlines()
    assert line.startswith("fresh: no clean debian13 can be made here:")
    assert why in line
    assert list(machine.tmp.iterdir()) == []


@pytest.mark.parametrize(("name", "codename"), [("debian12", "bookworm"), ("debian13", "trixie")])
def test_the_mirror_is_the_one_of_apt(machine: Machine, name: str, codename: str) -> None:
    machine.run(name)
    *_, asked, system, mirror = machine.asked.read_text().split()
    assert asked == codename
    assert system.startswith(str(machine.tmp))
    assert mirror == "http://mirror.example/debian/"


def test_a_mirror_may_be_named(machine: Machine) -> None:
    machine.add("apt-get", "exit 100")
    machine.run("debian12", FRESH_MIRROR="http://mine.example/")
    assert machine.asked.read_text().split()[-1] == "http://mine.example/"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_what_runs_and_leaves_nothing(machine: Machine, number: int) -> None:
    machine.add("debootstrap", f"echo $$ >{machine.asked}; exec sleep 60")
    process = machine.start("debian13")
    deadline = time.monotonic() + 30
    while not (machine.asked.exists() and machine.asked.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(number)
    process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert list(machine.tmp.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(machine.asked.read_text()), 0)


IF_CHANGED = SCRIPT.with_name("fresh_if_changed.sh")
GIT = ["git", "-c", "user.name=T", "-c", "user.email=t@example.org"]


class Repository:
    """A repository whose proof is a stub that notes how it was called."""

    def __init__(self, folder: Path) -> None:
        self.root, self.cache = folder / "repository", folder / "cache"
        self.called = folder / "called"
        (self.root / "tools").mkdir(parents=True)
        shutil.copy(IF_CHANGED, self.root / "tools")
        for name in ("setup", "preflight", "page", "fresh_system"):
            (self.root / f"tools/{name}.sh").touch()
        (self.root / "pyproject.toml").touch()
        self.prove_with(0)
        self.git("init", "-q")
        self.lock("a==1")

    def git(self, *arguments: str) -> None:
        subprocess.run([*GIT, "-C", str(self.root), *arguments], check=True)

    def prove_with(self, status: int) -> None:
        script = self.root / "tools/fresh.sh"
        script.write_text(f'#!/bin/sh\necho "$FRESH $PYTEST_ARGS" >>{self.called}\nexit {status}\n')
        script.chmod(0o755)

    def lock(self, text: str) -> None:
        (self.root / "requirements.lock").write_text(text)
        self.git("add", ".")
        self.git("commit", "-q", "-m", "Lock")

    def age(self, num_commits: int) -> None:
        for number in range(num_commits):
            self.git("commit", "-q", "--allow-empty", "-m", str(number))

    def run(self) -> tuple[int, int]:
        """Return the status, and how often the proof has run so far."""
        done = subprocess.run(
            [str(self.root / "tools/fresh_if_changed.sh")],
            env={"PATH": "/usr/bin:/bin", "HOME": "/nowhere", "FRESH_CACHE": str(self.cache)},
            capture_output=True,
            check=False,
        )
        calls = self.called.read_text().splitlines() if self.called.exists() else []
        return done.returncode, len(calls)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_a_change_is_proven_once_on_each_machine(repository: Repository) -> None:
    assert repository.run() == (0, 1)
    first = repository.called.read_text()
    assert first.startswith("debian13 tests/judge/")
    for path in first.split()[1:]:
        assert (SCRIPT.parents[1] / path).is_file()
    assert repository.run() == (0, 1)
    repository.lock("a==2")
    assert repository.run() == (0, 2)


def test_an_old_state_is_not_proven_again(repository: Repository) -> None:
    repository.age(100)
    assert repository.run() == (0, 0)
    repository.lock("a==2")
    repository.age(99)
    assert repository.run() == (0, 1)


def test_the_settings_of_linters_and_tests_are_no_part_of_the_setup(
    repository: Repository,
) -> None:
    def write(needs: str, seconds: int) -> None:
        (repository.root / "pyproject.toml").write_text(
            f'[project]\ndependencies = ["{needs}"]\n\n[tool.ruff]\nline-length = {seconds}\n'
        )
        repository.git("commit", "-q", "-a", "-m", "Write pyproject.toml")

    write("a", 100)
    repository.age(100)
    write("a", 120)
    assert repository.run() == (0, 0)
    write("b", 120)
    assert repository.run() == (0, 1)
    write("b", 100)
    assert repository.run() == (0, 1)


def test_a_failure_fails_and_is_tried_again(repository: Repository) -> None:
    repository.prove_with(1)
    assert repository.run() == (1, 1)
    assert repository.run() == (1, 2)


def test_where_no_clean_system_can_be_made_nothing_fails_nor_counts_as_proven(
    repository: Repository,
) -> None:
    repository.prove_with(75)
    assert repository.run() == (0, 1)
    assert repository.run() == (0, 2)
