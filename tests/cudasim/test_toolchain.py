"""A compiler is found or its absence told; what is built is built once, whole or not at all."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import torchstone.cudasim as cudasim
from torchstone.cudasim import CacheError, CompileError, CompilerMissing, toolchain
from torchstone.cudasim.options import CLANG_14_ANY_ARGUMENT, CLANG_ANY_ARGUMENT
from torchstone.cudasim.products import digest, made_once
from torchstone.cudasim.toolchain import Build, RuntimeBroken, Toolchain, find_toolchain

pytestmark = [pytest.mark.cudasim, pytest.mark.full]

SOURCE = "__global__ void set(int* x) { x[0] = VALUE; }"
PROGRAM = f"""
import array, sys
import torchstone.cudasim as cudasim
x = array.array("i", [0])
cudasim.compile({SOURCE!r}.replace("VALUE", sys.argv[1])).set(1, 1)(x)
print(x[0])
"""


@pytest.fixture(scope="module", autouse=True)
def cusim_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Begin with an empty cache: what is built, and how often, is tested here."""
    folder = tmp_path_factory.mktemp("cusim")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUSIM_CACHE", str(folder))
        yield folder


def built(cache: Path) -> set[str]:
    return {path.name for path in cache.glob("program-*") if path.is_dir()}


@pytest.fixture(scope="module")
def bin_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the script, one for all tests: each place has a runtime of its own."""
    return tmp_path_factory.mktemp("bin")


@pytest.fixture
def script(bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a script in the place of every compiler; it passes on to the real one."""
    path = bin_folder / "g++"
    for left in (path, log_of(path)):
        left.unlink(missing_ok=True)
    real = shutil.which("g++")
    path.write_text(f'#!/bin/sh\necho "$@" >> "{log_of(path)}"\nexec {real} "$@"\n')
    path.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{bin_folder}:{os.environ['PATH']}")
    return path


def log_of(script: Path) -> Path:
    return script.with_suffix(".log")


def calls(script: Path) -> int:
    log = log_of(script)
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_a_second_compile_of_the_same_text_calls_no_compiler(script: Path) -> None:
    source = SOURCE.replace("VALUE", "31")
    cudasim.compile(source)
    before = calls(script)
    assert before > 0
    cudasim.compile(source)
    assert calls(script) == before
    cudasim.compile(source + " ")
    assert calls(script) > before


def test_what_is_built_runs_where_there_is_no_compiler_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-c", PROGRAM, "32"]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "32\n"
    bare = {**os.environ, "PATH": str(tmp_path)}
    again = subprocess.run(command, capture_output=True, text=True, env=bare)
    assert (again.stdout, again.stderr) == ("32\n", "")
    # In this process as well; another program needs the compiler.
    monkeypatch.setenv("PATH", str(tmp_path))
    cudasim.compile(SOURCE.replace("VALUE", "32"))
    with pytest.raises(CompilerMissing, match=r"none of \$CXX, g\+\+ and clang\+\+"):
        cudasim.compile(SOURCE.replace("VALUE", "33"))


def test_without_any_compiler_the_message_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUSIM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CompilerMissing, match="apt install") as caught:
        cudasim.compile("")
    assert "\n" not in str(caught.value)
    monkeypatch.setenv("CXX", "clang++")
    with pytest.raises(CompilerMissing, match=r"CXX names clang\+\+, which does not exist"):
        cudasim.compile("")


def test_a_compiler_that_does_not_work_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken++"
    broken.write_text("#!/bin/sh\necho no licence >&2\nexit 3\n")
    broken.chmod(stat.S_IRWXU)
    monkeypatch.setenv("CXX", str(broken))
    with pytest.raises(CompilerMissing, match=r"broken\+\+ --version.* fails: no licence"):
        find_toolchain()


def test_clang_is_taken_where_there_is_no_gcc_and_gets_its_own_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "clang++"
    fake.write_text("#!/bin/sh\necho clang version 17.0.1\n")
    fake.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setattr(
        shutil, "which", lambda name, path: str(fake) if name == "clang++" else None
    )
    found = find_toolchain()
    assert found.command == (str(fake),)
    assert found.clang == 17
    for build in Build:
        flags = found.flags(build)
        assert not {"-fno-tree-sra", "-fno-gnu-unique", "-Wno-tsan"} & set(flags)
        assert ("-fsanitize=thread" in flags) == (build is Build.CHECK)
        assert CLANG_ANY_ARGUMENT in flags
        assert CLANG_14_ANY_ARGUMENT not in flags


def test_cxx_may_have_arguments_and_changes_what_is_built(
    script: Path, monkeypatch: pytest.MonkeyPatch, cusim_cache: Path
) -> None:
    plain = find_toolchain()
    monkeypatch.setenv("CXX", f"{script} -DVALUE=34")
    named = find_toolchain()
    assert named.command == (str(script), "-DVALUE=34")
    assert named.identity != plain.identity
    assert named.cache == cusim_cache


def test_a_processor_that_cxx_names_is_the_one_compiled_for(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "-march=native" in find_toolchain().flags(Build.FAST)
    monkeypatch.setenv("CXX", f"{script} -march=x86-64-v2")
    assert "-march=native" not in find_toolchain().flags(Build.CHECK)


@pytest.mark.parametrize("target", ["aarch64-linux-gnu", "x86_64-linux-gnu"])
def test_atomics_for_aarch64_are_instructions_and_no_calls(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / f"{target}-g++"
    answer = f"case $1 in -dumpmachine) echo {target};; *) echo g++ 12; echo; esac"
    fake.write_text(f"#!/bin/sh\n{answer}\n")
    fake.chmod(stat.S_IRWXU)
    monkeypatch.setenv("CXX", str(fake))
    monkeypatch.setenv("CUSIM_CACHE", str(tmp_path / "cache"))
    found = find_toolchain()
    assert found.target == target
    is_for_aarch64 = target.startswith("aarch64")
    assert ("-mno-outline-atomics" in found.flags(Build.FAST)) == is_for_aarch64


def test_two_processes_that_compile_the_same_at_once_both_get_it(cusim_cache: Path) -> None:
    before = built(cusim_cache)
    command = [sys.executable, "-c", PROGRAM, "35"]
    several = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert [process.communicate()[0] for process in several] == ["35\n"] * 4
    assert len(built(cusim_cache) - before) == 1


def test_a_compiler_that_is_killed_leaves_nothing(
    script: Path, cusim_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_toolchain()
    text = script.read_text()
    kill = 'case "$*" in *victim.cu*) kill -9 $$;; esac\n'
    script.write_text(text.replace("exec", kill + "exec"))
    with pytest.raises(CompileError, match=r"killed \(SIGKILL\)"):
        cudasim.compile(SOURCE.replace("VALUE", "36"), name="victim.cu")
    assert not list(cusim_cache.rglob("*victim*"))
    script.write_text(text)
    x = np.zeros(1, np.int32)
    cudasim.compile(SOURCE.replace("VALUE", "36"), name="victim.cu").set(1, 1)(x)
    assert x[0] == 36


def test_a_runtime_that_does_not_compile_is_no_fault_of_the_program(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUSIM_CACHE", str(tmp_path / "cache"))
    text = script.read_text()
    refuse = 'case "$*" in *fiber.cpp*) echo "no such register" >&2; exit 1;; esac\n'
    script.write_text(text.replace("exec", refuse + "exec"))
    with pytest.raises(RuntimeBroken, match=r"(?s)runtime of cudasim does not compile.*register"):
        cudasim.compile(SOURCE.replace("VALUE", "38"))


def test_what_a_killed_process_has_begun_is_begun_anew(
    script: Path, cusim_cache: Path, tmp_path: Path
) -> None:
    text = script.read_text()
    wait = f'case "$*" in *kernel.cu*) touch "{tmp_path}/waits"; sleep 60;; esac\n'
    script.write_text(text.replace("exec", wait + "exec"))
    command = [sys.executable, "-c", PROGRAM, "37"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while not (tmp_path / "waits").exists() and process.poll() is None:
        time.sleep(0.01)
    assert process.poll() is None
    (part,) = cusim_cache.glob("program-*.part")
    process.kill()
    process.wait()
    assert part.exists()
    script.write_text(text)
    # The stamp of the compiler has changed with the script; its version has not, nor the product.
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "37\n"
    assert not part.exists()


def test_an_interruption_ends_the_compiler_too(script: Path, tmp_path: Path) -> None:
    text = script.read_text()
    wait = f'case "$*" in *kernel.cu*) echo $$ > "{tmp_path}/pid"; exec sleep 60;; esac\n'
    script.write_text(text.replace("exec /", wait + "exec /"))
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, "38"], stderr=subprocess.DEVNULL)
    pid = tmp_path / "pid"
    while not (pid.exists() and pid.read_text().strip()) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.wait()
    # The test's own time limit is the longest one waits.
    while Path(f"/proc/{pid.read_text().strip()}").exists():
        time.sleep(0.01)


def test_a_folder_that_cannot_be_written_is_named_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file" / "cache", Path("/proc/cusim")):
        monkeypatch.setenv("CUSIM_CACHE", str(folder))
        with pytest.raises(CacheError) as caught:
            cudasim.compile(SOURCE.replace("VALUE", "39"))
        assert str(folder) in str(caught.value)
        assert "set CUSIM_CACHE to another folder" in str(caught.value)


def test_a_cache_in_a_folder_with_spaces_and_chinese_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cusim_cache: Path
) -> None:
    folder = tmp_path / "缓 存, 'é'"
    found = find_toolchain()
    moved = Toolchain(
        command=found.command, identity=found.identity, clang=found.clang,
        is_present=True, cache=folder,
    )  # fmt: skip
    # The runtime is as it was: it takes the time.
    found.runtime(Build.FAST)
    folder.mkdir()
    for made in cusim_cache.glob("runtime-*"):
        if made.is_dir():
            shutil.copytree(made, folder / made.name)
    cpp = folder / "有 空格.cpp"
    cpp.write_text('extern "C" int answer() { return cusim_in_kernel() ? 1 : 42; }')
    assert moved.program([cpp], Build.FAST).name == "有 空格.fast.so"
    monkeypatch.setenv("CUSIM_CACHE", str(folder))
    x = np.zeros(1, np.int32)
    cudasim.compile(SOURCE.replace("VALUE", "40")).set(1, 1)(x)
    assert x[0] == 40


def test_a_compiler_that_does_not_end_is_ended(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_toolchain().header(Build.FAST)
    find_toolchain().runtime(Build.FAST)
    text = script.read_text()
    script.write_text(text.replace("exec", 'case "$*" in *slow.cu*) sleep 60;; esac\nexec'))
    monkeypatch.setattr(toolchain, "COMPILE_SECONDS", 0.2)
    with pytest.raises(CompileError, match="did not end"):
        cudasim.compile(SOURCE.replace("VALUE", "41"), name="slow.cu")


def test_a_folder_is_made_once_and_only_when_it_is_whole(tmp_path: Path) -> None:
    folder = tmp_path / "made"

    def fail() -> None:
        with made_once(folder) as making:
            assert making is not None
            (making / "part").touch()
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half"):
        fail()
    assert not folder.exists()
    with made_once(folder) as making:
        assert making is not None
        (making / "whole").touch()
    with made_once(folder) as making:
        assert making is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made", "made.lock"]
    assert [path.name for path in folder.iterdir()] == ["whole"]


def test_a_digest_tells_apart_where_a_part_ends() -> None:
    assert digest("ab", "c") != digest("a", "bc")
    assert digest("a") != digest("a", "")
    assert digest("é", 1) == digest("é", "1")
