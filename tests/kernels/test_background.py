"""A library is built once on a machine, whatever happens to the processes that want it."""

import ctypes
import fcntl
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kernels.standing_in import Compiler, until
from torchstone.kernels import background, builder
from torchstone.kernels.background import BuildError, obtain

pytestmark = [pytest.mark.torch, pytest.mark.full]

ASK = """
import sys
from pathlib import Path
from tests.kernels.standing_in import Compiler
from torchstone.kernels.background import obtain
print(obtain(Compiler(folder=Path(sys.argv[1])).recipe(), %s), flush=True)
"""
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1


@pytest.fixture
def compiler(tmp_path: Path) -> Iterator[Compiler]:
    """Return a stand-in whose last object waits for the gate; let all that waits end at last."""
    made = Compiler(folder=tmp_path)
    made.write()
    yield made
    made.gate.touch()


def ask(compiler: Compiler, timeout: str = "None", **options: object) -> "subprocess.Popen[str]":
    """Start a process that asks for the library."""
    return subprocess.Popen(
        [sys.executable, "-c", ASK % timeout, str(compiler.folder)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options,  # type: ignore[call-overload]
    )  # fmt: skip


def builder_of(compiler: Compiler) -> int:
    """Return the builder's process."""
    log = compiler.recipe().log
    pattern = re.compile(r"process (\d+):")
    until(lambda: log.exists() and pattern.search(log.read_text()) is not None)
    found = pattern.search(log.read_text())
    assert found is not None
    return int(found[1])


def is_locked(compiler: Compiler) -> bool:
    """Return whether a process builds."""
    with open(compiler.recipe().product.parent.with_suffix(".lock"), encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def kill_builder(compiler: Compiler) -> None:
    """Kill the builder, and the compilers that it leaves behind."""
    os.kill(builder_of(compiler), signal.SIGKILL)
    until(lambda: not is_locked(compiler))


def test_two_processes_have_one_build(compiler: Compiler) -> None:
    both = [ask(compiler), ask(compiler)]
    until(lambda: "last.o" in compiler.calls())
    compiler.gate.touch()
    for each in both:
        printed, errors = each.communicate()
        assert printed.strip() == str(compiler.recipe().product), errors
    assert sorted(compiler.calls()) == ["first.o", "last.o", "library.so"]


def test_who_does_not_wait_has_nothing_and_starts_no_second_build(compiler: Compiler) -> None:
    assert obtain(compiler.recipe(), 0) is None
    assert obtain(compiler.recipe(), 0.2) is None
    compiler.gate.touch()
    assert obtain(compiler.recipe()) == compiler.recipe().product
    assert sorted(compiler.calls()) == ["first.o", "last.o", "library.so"]
    kept = sorted(path.name for path in (compiler.folder / "cache").iterdir())
    assert kept == ["product-1", "product-1.lock", "product-1.log"]
    assert [path.name for path in compiler.recipe().product.parent.iterdir()] == ["library.so"]


def test_a_build_survives_whoever_started_it(compiler: Compiler) -> None:
    process = ask(compiler, start_new_session=True)
    until(lambda: "last.o" in compiler.calls())
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert is_locked(compiler)
    compiler.gate.touch()
    until(compiler.recipe().product.is_file)
    assert sorted(compiler.calls()) == ["first.o", "last.o", "library.so"]


def test_a_killed_build_goes_on_where_it_stopped(compiler: Compiler) -> None:
    assert obtain(compiler.recipe(), 0) is None
    part = compiler.recipe().product.parent.with_suffix(".part")
    until((part / "first.o").exists)
    kill_builder(compiler)
    compiler.gate.touch()
    assert obtain(compiler.recipe()) == compiler.recipe().product
    assert compiler.calls().count("first.o") == 1
    assert "1 are compiled already" in compiler.recipe().log.read_text()


def test_half_an_object_is_none(compiler: Compiler) -> None:
    part = compiler.recipe().product.parent.with_suffix(".part")
    part.mkdir(parents=True)
    (part / ".first.o.123").write_text("half")
    compiler.gate.touch()
    obtain(compiler.recipe())
    assert compiler.calls().count("first.o") == 1


def test_a_builder_that_is_killed_again_and_again_is_given_up(compiler: Compiler) -> None:
    part = compiler.recipe().product.parent.with_suffix(".part")
    assert obtain(compiler.recipe(), 0) is None
    until((part / "first.o").exists)
    kill_builder(compiler)
    for _ in range(background.MOST_STARTS):
        assert obtain(compiler.recipe(), 0) is None
        kill_builder(compiler)
    with pytest.raises(BuildError, match="was killed 3 times before it had compiled one more"):
        obtain(compiler.recipe())
    # What there is stays for the time when it is tried again.
    compiler.recipe().failed.unlink()
    compiler.gate.touch()
    obtain(compiler.recipe())
    assert compiler.calls().count("first.o") == 1


def test_a_failure_is_kept_until_the_compiler_changes(compiler: Compiler) -> None:
    compiler.fail("no such dialect")
    for _ in range(2):
        with pytest.raises(BuildError, match="does not compile the kernels:\nno such dialect"):
            obtain(compiler.recipe())
    failures = len(compiler.calls())
    assert failures <= 2  # of two files that are compiled at once
    with pytest.raises(BuildError, match=re.escape(str(compiler.recipe().log))):
        obtain(compiler.recipe(), 0)
    assert len(compiler.calls()) == failures
    compiler.write()
    compiler.gate.touch()
    assert obtain(compiler.recipe()) is not None


@pytest.mark.parametrize("name", ["CPATH", "LIBRARY_PATH"])
def test_a_failure_is_kept_until_the_search_path_changes(
    compiler: Compiler, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler.fail("no header")
    with pytest.raises(BuildError):
        obtain(compiler.recipe())
    failures = len(compiler.calls())
    monkeypatch.setenv(name, str(compiler.folder))
    with pytest.raises(BuildError):
        obtain(compiler.recipe())
    assert len(compiler.calls()) > failures


def test_a_failure_is_kept_for_an_hour(compiler: Compiler) -> None:
    compiler.fail("no memory")
    with pytest.raises(BuildError):
        obtain(compiler.recipe())
    failed = compiler.recipe().failed
    record = json.loads(failed.read_text())
    failures = len(compiler.calls())
    for age, is_tried in ((background.RETRY_SECONDS - 60, False), (background.RETRY_SECONDS, True)):
        failed.write_text(json.dumps(record | {"time": record["time"] - age}))
        with pytest.raises(BuildError):
            obtain(compiler.recipe())
        assert (len(compiler.calls()) > failures) == is_tried


def test_objects_that_were_compiled_before_a_failure_are_kept(compiler: Compiler) -> None:
    assert obtain(compiler.recipe(), 0) is None
    part = compiler.recipe().product.parent.with_suffix(".part")
    until((part / "first.o").exists)
    compiler.fail("no memory")  # a shell that reads its script meanwhile may still see the old one
    kill_builder(compiler)
    with pytest.raises(BuildError):
        obtain(compiler.recipe())
    assert (part / "first.o").exists()


def test_a_lock_file_that_a_dead_process_left_holds_up_no_one(compiler: Compiler) -> None:
    lock = compiler.recipe().product.parent.with_suffix(".lock")
    lock.parent.mkdir(parents=True)
    hold = (
        "import fcntl, sys, time; lock = open(sys.argv[1], 'w'); "
        "fcntl.flock(lock, fcntl.LOCK_EX); print('locked', flush=True); time.sleep(1e6)"
    )
    command = [sys.executable, "-c", hold, str(lock)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    assert obtain(compiler.recipe(), 0.3) is None
    assert compiler.calls() == []
    process.kill()
    process.communicate()
    compiler.gate.touch()
    assert obtain(compiler.recipe()) == compiler.recipe().product


def without_power_over_permissions() -> None:
    """Let even root be refused what the permissions of a file refuse, from the next program on."""
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)


@pytest.mark.parametrize("is_built", [False, True])
def test_a_folder_that_cannot_be_written(compiler: Compiler, is_built: bool) -> None:
    cache = compiler.recipe().product.parent.parent
    cache.mkdir()
    if is_built:
        compiler.gate.touch()
        obtain(compiler.recipe())
    cache.chmod(0o555)
    try:
        process = ask(compiler, preexec_fn=without_power_over_permissions)
        printed, errors = process.communicate()
    finally:
        cache.chmod(0o755)
    if is_built:
        assert printed.strip() == str(compiler.recipe().product)
    else:
        assert "BuildError" in errors
        assert f"{cache}, which cannot be written (permission denied)" in errors
        assert "set TORCHSTONE_CACHE" in errors


def test_a_compiler_that_hangs_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["sh", "-c", "sleep 1000000 & echo $! > pid; wait"]
    communicate = subprocess.Popen.communicate

    def wait_until_begun(process: Any, **options: Any) -> Any:
        until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
        return communicate(process, **options)

    monkeypatch.setattr(builder, "COMPILE_SECONDS", 0.2)
    monkeypatch.setattr(subprocess.Popen, "communicate", wait_until_begun)
    with pytest.raises(builder.CompileError, match="sh took more than 0 s"):
        builder.run(tmp_path, "first.o", command)
    started = int((tmp_path / "pid").read_text())
    # What the compiler itself started is ended, too.
    until(lambda: is_gone(started))


def is_gone(process: int) -> bool:
    """Return whether a process has ended; one that waits for its parent has."""
    try:
        return Path(f"/proc/{process}/stat").read_text().split(")")[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_a_compiler_that_is_killed_is_told_with_its_signal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(builder.CompileError, match=r"does not compile the kernels \(signal 9\)"):
        builder.run(tmp_path, "first.o", ["sh", "-c", "kill -9 $$"])
    assert "first.o: status -9" in capsys.readouterr().out
