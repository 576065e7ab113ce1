import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from tools import pending

pytestmark = pytest.mark.pure

LOCK = """\
# a comment

torch==2.13.0  # 502/1044 MiB, +cpu 182/666 MiB
nvidia-absent==1.0  # 300/400 MiB
absent-one==1.0  # 10/30 MiB
absent-two==2.0
absent-three==1.0; python_version < "3"  # 5/6 MiB
not a pin
"""


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have nothing installed, and a pip that finds no index."""

    def version(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", version)
    monkeypatch.delenv("TORCHSTONE_TORCH", raising=False)
    monkeypatch.setenv("TORCHSTONE_PIP_ARGS", "--find-links /nowhere")


def printed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    pip_says: str = "",
) -> str:
    """Return what is printed for ``LOCK`` where ``pip index versions`` prints a text."""

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        assert command[1:] == [
            "-m",
            "pip",
            "index",
            "versions",
            "--find-links",
            "/nowhere",
            "torch",
        ]
        return subprocess.CompletedProcess(command, int(not pip_says), pip_says)

    monkeypatch.setattr("subprocess.run", run)
    (tmp_path / "requirements.lock").write_text(LOCK)
    monkeypatch.setattr("sys.argv", ["pending.py", str(tmp_path / "requirements.lock")])
    assert pending.main() == 0
    return capsys.readouterr().out


def test_pins_are_read_with_their_sizes() -> None:
    torch, nvidia, one, two, three = pending.read_lock(LOCK)
    assert (torch.name, torch.version) == ("torch", "2.13.0")
    assert torch.size == pending.Size(wheel_mib=502, disk_mib=1044)
    assert torch.cpu_size == pending.Size(wheel_mib=182, disk_mib=666)
    assert nvidia.is_cuda
    assert not one.is_cuda
    assert (two.size, two.cpu_size) == (pending.Size(), None)
    assert three.marker == 'python_version < "3"'


def test_a_pin_is_installed_only_at_its_very_version() -> None:
    version = metadata.version("pytest")
    assert pending.is_installed(pending.Pin(name="pytest", version=version))
    assert not pending.is_installed(pending.Pin(name="pytest", version="0.0"))
    assert not pending.is_installed(pending.Pin(name="no-such-package", version="1"))


@pytest.mark.usefixtures("bare")
def test_both_ways_are_named_with_their_sizes_where_pip_finds_the_build_for_cuda(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = printed(tmp_path, monkeypatch, capsys, pip_says="Available versions: 2.13.0, 2.12.0\n")
    assert said.startswith("To install: 4 packages, 812 MiB to download, 1474 MiB on disk; ")
    assert "torch 2.13.0 (1044 MiB), nvidia-absent 1.0 (400 MiB)." in said
    assert "torch is PyPI's build for CUDA." in said
    assert "With the build for the CPU: 192 MiB to download, 696 MiB on disk." in said
    assert "TORCHSTONE_TORCH" in said


@pytest.mark.usefixtures("bare")
def test_a_build_for_the_cpu_that_pip_finds_is_recognised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = printed(tmp_path, monkeypatch, capsys, pip_says="2.14.0, 2.13.0+cpu, 2.13.0\n")
    assert said.startswith("To install: 3 packages, 192 MiB to download, 696 MiB on disk; ")
    assert "torch 2.13.0 (666 MiB)." in said
    assert "With PyPI's build for CUDA: 812 MiB to download, 1474 MiB on disk." in said


@pytest.mark.usefixtures("bare")
def test_a_build_that_the_variable_names_is_counted_and_pip_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TORCHSTONE_TORCH", "/wheels")
    monkeypatch.setattr(pending, "offers_cpu_build", None)
    assert "To install: 3 packages, 192 MiB" in printed(tmp_path, monkeypatch, capsys)


@pytest.mark.usefixtures("bare")
def test_a_pip_that_cannot_say_what_it_finds_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = printed(tmp_path, monkeypatch, capsys)
    assert "812 MiB to download" in said
    assert "pip did not say which build it finds" in said
    assert "With the build for the CPU: 192 MiB" in said


def test_nothing_is_said_of_torch_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # The build for the CPU is installed: what only the other one requires is not missing.
    monkeypatch.setattr("importlib.metadata.version", lambda _: "2.13.0+cpu")
    monkeypatch.setattr(
        pending,
        "read_lock",
        lambda _: [
            pending.Pin(name="torch", version="2.13.0"),
            pending.Pin(name="nvidia-absent", version="1.0"),
        ],
    )
    assert printed(tmp_path, monkeypatch, capsys).startswith("Nothing to download")


def test_the_lock_of_this_tree_has_the_sizes_of_both_builds() -> None:
    root = Path(__file__).resolve().parents[2]
    pins = pending.read_lock((root / "requirements.lock").read_text())
    (torch,) = [pin for pin in pins if pin.name == "torch"]
    assert torch.cpu_size
    cpu, cuda = pending.total(pins, cuda=False), pending.total(pins, cuda=True)
    assert 300 < cpu.wheel_mib < cuda.wheel_mib / 2
    assert cpu.disk_mib < cuda.disk_mib / 2


def test_the_program_needs_nothing_that_is_not_installed_yet() -> None:
    program = Path(pending.__file__)
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import runpy; runpy.run_path({str(program)!r})"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
