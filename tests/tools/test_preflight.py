import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.pure

PREFLIGHT = Path(__file__).resolve().parents[2] / "tools/preflight.sh"
PYTHON_STUB = f'exec {sys.executable} "$@"\n'


class Machine:
    """A machine on which only the programs in ``bin`` exist."""

    def __init__(self, folder: Path, *, uid: int) -> None:
        self.bin = folder
        for name, body in {
            "uname": "echo Linux\n",
            "id": f"echo {uid}\n",
            "sed": 'exec /bin/sed "$@"\n',
            "grep": 'exec /bin/grep "$@"\n',
            "ls": "exit 1\n",
        }.items():
            self.add(name, body)

    def add(self, name: str, body: str = "") -> None:
        path = self.bin / name
        path.write_text("#!/bin/sh\n" + body)
        path.chmod(0o755)

    def check(self, *args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", str(PREFLIGHT), *args],
            env={"PATH": str(self.bin)},
            capture_output=True,
            text=True,
        )


@pytest.fixture
def user(tmp_path: Path) -> Machine:
    return Machine(tmp_path, uid=1000)


@pytest.fixture
def root(tmp_path: Path) -> Machine:
    return Machine(tmp_path, uid=0)


def test_everything_missing_is_said_at_once_with_one_command(user: Machine) -> None:
    user.add("apt-get")
    done = user.check()
    assert done.returncode == 1
    for part in ("Python 3.11", "C++ compiler", "make", "bubblewrap", "libseccomp"):
        assert part in done.stderr
    assert "Required, but not installed:\n  - Python 3.11" in done.stderr
    assert "Recommended, but not installed:\n  - bubblewrap" in done.stderr
    (command,) = [line for line in done.stderr.splitlines() if "apt-get" in line]
    assert command == (
        "  sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends"
        " python3 python3-venv python3-dev g++ make bubblewrap libseccomp2'"
    )


def test_a_machine_without_isolation_is_warned_and_goes_on(user: Machine) -> None:
    user.add("python3", PYTHON_STUB)
    for name in ("c++", "make"):
        user.add(name)
    done = user.check()
    assert done.returncode == 0
    assert "Recommended, but not installed:\n  - bubblewrap" in done.stderr
    assert "required" not in done.stderr.lower()


def test_a_whole_machine_is_silent(user: Machine) -> None:
    user.add("python3", 'case "$*" in *libseccomp*) exit 0;; esac\n' + PYTHON_STUB)
    for name in ("c++", "make", "bwrap"):
        user.add(name)
    done = user.check()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_python_that_is_too_old_is_passed_over(user: Machine) -> None:
    user.add("python3", "exit 1\n")
    user.add("python3.12", PYTHON_STUB)
    done = user.check("--python")
    assert done.stdout.strip() == str(user.bin / "python3.12")
    (user.bin / "python3.12").unlink()
    assert user.check("--python").returncode == 1


def test_root_on_debian_installs_what_is_missing(root: Machine) -> None:
    installs = "".join(
        f"printf '#!/bin/sh\\n{body}' > {root.bin / name}; /bin/chmod 755 {root.bin / name}\n"
        for name, body in {
            "python3": f'exec {sys.executable} "$@"\\n',
            "g++": "",
            "make": "",
            "bwrap": "",
        }.items()
    )
    root.add("apt-get", f'case "$1" in install)\n{installs};; esac\n')
    done = root.check()
    assert done.returncode == 0, done.stderr
    assert "Installing: apt-get update" in done.stderr


def test_root_whose_apt_fails_is_told_and_stopped(root: Machine) -> None:
    root.add("apt-get", "exit 100\n")
    done = root.check()
    assert done.returncode == 1
    assert "apt-get failed" in done.stderr


def test_other_systems_get_names_or_their_own_command(user: Machine) -> None:
    assert "install with your package manager: python3" in user.check().stderr
    user.add("dnf")
    assert "dnf install -y python3  python3-devel gcc-c++ make" in user.check().stderr


@pytest.fixture
def ready(user: Machine) -> Machine:
    """Have what Torchstone needs, and of what its tests need Chromium."""
    user.add("python3", 'case "$*" in *libseccomp*) exit 0;; esac\n' + PYTHON_STUB)
    for name in ("g++", "make", "bwrap", "chromium-headless-shell", "git"):
        user.add(name)
    user.add("fc-list", 'test "$1" = :lang=zh && echo /fonts/some.ttc\n')
    user.add("uname", 'case "$1" in -m) echo x86_64;; *) echo Linux;; esac\n')
    user.add("apt-get")
    return user


def test_the_tests_want_a_second_compiler_and_a_second_machine(ready: Machine) -> None:
    done = ready.check("--tests")
    assert done.returncode == 0
    assert "clang++ (the tests of cudasim with clang are skipped without it)" in done.stderr
    assert "emulator of aarch64 (qemu-aarch64) (the tests of cudasim for aarch64" in done.stderr
    (command,) = [line for line in done.stderr.splitlines() if "apt-get" in line]
    assert command.endswith("recommends clang g++-aarch64-linux-gnu qemu-user'")
    assert ready.check().stderr == ""


@pytest.mark.parametrize("clang", ["clang++", "clang++-14", "clang++-19"])
def test_any_clang_does_and_nothing_is_said(ready: Machine, clang: str) -> None:
    for name in (clang, "aarch64-linux-gnu-g++", "qemu-aarch64"):
        ready.add(name)
    done = ready.check("--tests")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_machine_with_aarch64_needs_no_emulator_of_it(ready: Machine) -> None:
    ready.add("uname", 'case "$1" in -m) echo aarch64;; *) echo Linux;; esac\n')
    ready.add("clang++")
    assert ready.check("--tests").stderr == ""


@pytest.fixture
def furnished(ready: Machine) -> Machine:
    """Have everything that Torchstone and its tests need."""
    for name in ("clang++", "aarch64-linux-gnu-g++", "qemu-aarch64"):
        ready.add(name)
    return ready


@pytest.mark.parametrize(
    "listing",
    ["fc-list with a font", "only Debian's files"],
)
def test_a_font_for_chinese_is_found(furnished: Machine, listing: str) -> None:
    if listing == "only Debian's files":
        (furnished.bin / "fc-list").unlink()
        furnished.add("ls", 'case "$*" in *wqy*) echo /usr/share/fonts/truetype/wqy/x.ttc;; esac\n')
    assert furnished.check("--tests").stderr == ""


@pytest.mark.parametrize("has_fontconfig", [True, False])
def test_the_tests_want_a_font_for_chinese(furnished: Machine, *, has_fontconfig: bool) -> None:
    (furnished.bin / "fc-list").unlink()
    if has_fontconfig:
        furnished.add("fc-list")
    done = furnished.check("--tests")
    assert done.returncode == 0
    assert "a font for Chinese (pictures and browser tests show empty boxes" in done.stderr
    assert "no-install-recommends fonts-wqy-microhei'" in done.stderr
    assert furnished.check().stderr == ""


def test_the_tests_want_git(furnished: Machine) -> None:
    (furnished.bin / "git").unlink()
    assert "git (the tests of make fresh fail without it)" in furnished.check("--tests").stderr


def on(machine: Machine, system: str) -> Machine:
    """Answer what the preflight asks of /etc/os-release."""
    is_debian = int(system != "debian")
    machine.add(
        "grep", f'case "$*" in *os-release*) exit {is_debian};; esac\nexec /bin/grep "$@"\n'
    )
    return machine


@pytest.mark.parametrize(
    ("system", "package"), [("debian", "chromium-headless-shell"), ("ubuntu", "chromium")]
)
def test_the_tests_want_a_browser(furnished: Machine, system: str, package: str) -> None:
    (furnished.bin / "chromium-headless-shell").unlink()
    done = on(furnished, system).check("--tests")
    assert done.returncode == 0
    assert "Chromium (the tests of the page are skipped without it)" in done.stderr
    assert f"no-install-recommends {package}'" in done.stderr


def test_debian_has_a_browser_that_uses_less_time(furnished: Machine) -> None:
    (furnished.bin / "chromium-headless-shell").rename(furnished.bin / "chromium")
    assert on(furnished, "ubuntu").check("--tests").stderr == ""
    done = on(furnished, "debian").check("--tests")
    assert done.returncode == 0
    assert "the tests of the page use more CPU time without it" in done.stderr
    assert "no-install-recommends chromium-headless-shell'" in done.stderr
