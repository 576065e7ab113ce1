"""C++ toolchain: find a compiler, and build the runtime library, the header and programs."""

import functools
import json
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from torchstone.cudasim.accesses import show_accesses
from torchstone.cudasim.diagnostics import Diagnostic
from torchstone.cudasim.options import (
    AARCH64_FLAGS,
    CHECK_FLAGS,
    CLANG_14_ANY_ARGUMENT,
    CLANG_ANY_ARGUMENT,
    CLANG_CHECK_FLAGS,
    CLANG_CHECK_WRAPPED,
    CLANG_FLAGS,
    CLANG_FRONT_END,
    FLAGS,
    GNU_CHECK_FLAGS,
    GNU_FLAGS,
    GNU_MODULE_FLAGS,
    GNU_X86_FLAGS,
    PLAIN_MESSAGES,
    QUIET,
    WRAPPED,
)
from torchstone.cudasim.products import cache_folder, content_of, digest, made_once
from torchstone.cudasim.words import say

HERE = Path(__file__).resolve().parent
INCLUDE = HERE / "include"
RUNTIME = HERE / "runtime"
COMPILE_SECONDS = 120.0
# A CUDA build of torch loads NVIDIA's runtime into the process. The loader would resolve symbols
# there first, unless a program asks for this version of them.
VERSIONS = "CUSIM_%s { global: *; };\n"
# The last compiler used: its products can be used even after it is removed.
RECORD = "compiler.json"


class CompilerMissing(RuntimeError):
    """Raised when there is no C++ compiler; the message names the package to install."""


class CompileError(ValueError):
    """Raised when a program does not compile, with the program's own line numbers.

    Attributes:
        messages: The diagnostics; empty where the compiler itself failed.
    """

    def __init__(self, text: str, messages: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(text)
        self.messages = messages


class RuntimeBroken(RuntimeError):
    """Raised when the runtime library cannot be built, which is not the program's fault."""


class Build(Enum):
    """Build variants of a program."""

    FAST = "fast"
    CHECK = "check"


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """Compiler, with the folder of its products.

    Attributes:
        command: The compiler, with the arguments that ``CXX`` gives it.
        identity: A hash of everything except the sources that its products depend on.
        clang: The version of clang; 0 for other compilers.
        is_present: Whether it can build; its earlier products can be used without it.
        cache: The folder of the products.
        target: The target triple, as the compiler reports it.
        is_portable: Whether fibers switch by ucontext rather than assembler, as on machines without
            an implementation in assembler (``CUSIM_PORTABLE``).
    """

    command: tuple[str, ...]
    identity: str
    clang: int
    is_present: bool
    cache: Path
    target: str = ""
    is_portable: bool = False

    def runtime(self, build: Build) -> Path:
        """Return the path of the runtime library; build it if needed."""
        flags = (*self._common(), "-O3", f"-I{INCLUDE}", f"-I{RUNTIME}", "-Wall", "-Wextra")
        if build is Build.CHECK:
            flags = (*flags, "-DCUSIM_CHECK=1")
        if self.is_portable:
            flags = (*flags, "-DCUSIM_UCONTEXT=1")
        key = digest(
            self.identity, build.value, content_of(RUNTIME), content_of(INCLUDE), flags, VERSIONS
        )
        name = f"libcusim-{build.value}.so"
        folder = self.cache / f"runtime-{key}"
        with made_once(folder) as making:
            if making:
                try:
                    self._build_runtime(making, name, flags, build)
                except CompileError as error:
                    told = say("refusal.runtime_broken", "en", compiler=self.command[0], said=error)
                    raise RuntimeBroken(told) from error
        return folder / name

    def _build_runtime(self, making: Path, name: str, flags: tuple[str, ...], build: Build) -> None:
        versions = making / "versions.map"
        versions.write_text(VERSIONS % build.name, encoding="ascii")
        sources = sorted(RUNTIME.glob("*.cpp"))
        objects = [making / f"{source.stem}.o" for source in sources]

        def compile_one(source: Path, compiled: Path) -> None:
            self.run([*flags, "-c", str(source), "-o", str(compiled)], cwd=making)

        with ThreadPoolExecutor(min(len(sources), os.cpu_count() or 1)) as several:
            list(several.map(compile_one, sources, objects))
        # Omit the soname, so that programs refer to this very file: two runtimes may be loaded at
        # once. Bind its own functions first: a program has instrumented templates of the same
        # names.
        shared = ["-shared", "-Wl,-Bsymbolic-functions", f"-Wl,--version-script={versions}"]
        output = ["-o", str(making / name)]
        self.run([*map(str, objects), *shared, *output, "-pthread", "-ldl"], cwd=making)
        for path in (*objects, versions):
            path.unlink()

    def header(self, build: Build) -> Path:
        """Return the header to include first; its g++ precompiled header lies beside it."""
        flags = self.flags(build)
        key = digest(self.identity, content_of(INCLUDE), flags)
        folder = self.cache / f"header-{key}"
        with made_once(folder) as making:
            if making:
                (making / "cusim-all.h").write_text('#include "cusim/cusim.h"\n', encoding="ascii")
                # A header that clang precompiles contains the path of its folder, which is renamed
                # later.
                if not self.clang:
                    output = ["-o", "cusim-all.h.gch"]
                    self.run([*flags, "-x", "c++-header", "cusim-all.h", *output], cwd=making)
        return folder / "cusim-all.h"

    def program(self, cpps: Sequence[Path], build: Build, *, executable: bool = False) -> Path:
        """Compile C++ files separately, and link them; the result lies beside the first.

        Messages and ``__FILE__`` show each file by its name in its folder.

        Raises:
            CompileError: The compiler rejects one of the files, or linking fails.
        """
        objects = [cpp.with_suffix(f".{build.value}.o") for cpp in cpps]
        for cpp, compiled in zip(cpps, objects, strict=True):
            self.compile(cpp, build, compiled)
        output = cpps[0].with_suffix(f".{build.value}{'' if executable else '.so'}")
        self.link(objects, build, output, executable=executable)
        for compiled in objects:
            compiled.unlink()
        return output

    def compile(self, cpp: Path, build: Build, compiled: Path) -> None:
        """Compile one C++ file to an object.

        Raises:
            CompileError: The compiler rejects it.
        """
        header = self.header(build)
        # The prefix keeps a name that begins with a dash from being read as an option.
        name = f"./{cpp.name}" if cpp.name.startswith("-") else cpp.name
        flags = [*self.flags(build), *PLAIN_MESSAGES]
        place = f"-ffile-prefix-map={cpp.parent}=."
        source = ["-include", str(header), place, "-x", "c++", name]
        if not (self.clang and build is Build.CHECK):
            self.run([*flags, *source, "-c", "-o", str(compiled)], cwd=cpp.parent)
            return
        text = compiled.with_suffix(".ll")
        self.run([*flags, *source, *CLANG_FRONT_END, "-o", str(text)], cwd=cpp.parent)
        text.write_text(show_accesses(text.read_text("latin-1")), "latin-1")
        self.run([*flags, "-x", "ir", str(text), "-c", "-o", str(compiled)], cwd=cpp.parent)
        text.unlink()

    def preprocess(self, cpp: Path, output: Path) -> None:
        """Write the preprocessed text of a C++ file, with line markers.

        Raises:
            CompileError: The preprocessor rejects the file.
        """
        ahead = () if self.clang else ("-fpch-preprocess",)
        flags = [*self.flags(Build.FAST), *PLAIN_MESSAGES, "-include", str(self.header(Build.FAST))]
        self.run([*flags, "-E", *ahead, "-x", "c++", cpp.name, "-o", str(output)], cwd=cpp.parent)

    def link(
        self, objects: Sequence[Path], build: Build, output: Path, *, executable: bool = False
    ) -> None:
        """Link objects to a module, or to a program with its own main.

        Raises:
            CompileError: Linking fails.
        """
        library = self.runtime(build)
        # Bind the module's own functions first, whatever else the process contains.
        kind = ["-rdynamic"] if executable else ["-shared", "-Wl,-Bsymbolic,-z,defs"]
        # Link separately and without -fsanitize, so that the sanitizer's own library is not linked.
        is_told_by_calls = self.clang and build is Build.CHECK
        wrapped = (*WRAPPED, *(CLANG_CHECK_WRAPPED if is_told_by_calls else ()))
        kind += [f"-Wl,--wrap={name}" for name in wrapped]
        link = [*kind, "-pthread", *map(str, objects), str(library), "-o", str(output)]
        self.run(link, cwd=output.parent)

    def flags(self, build: Build) -> tuple[str, ...]:
        """Return the compiler options for programs."""
        flags = (*self._common(), *QUIET, f"-I{INCLUDE}")
        if self.clang:
            any_argument = CLANG_ANY_ARGUMENT if self.clang > 14 else CLANG_14_ANY_ARGUMENT
            flags += (*CLANG_FLAGS, "-Xclang", any_argument)
        else:
            flags += (*GNU_FLAGS, *GNU_MODULE_FLAGS)
        if build is Build.CHECK:
            flags += CHECK_FLAGS + (CLANG_CHECK_FLAGS if self.clang else GNU_CHECK_FLAGS)
        return flags

    def _common(self) -> tuple[str, ...]:
        # The compiler uses the last -march, so one in CXX must remain the last.
        is_named = any(word.startswith(("-march=", "-mcpu=")) for word in self.command[1:])
        flags = tuple(each for each in FLAGS if not (is_named and each == "-march=native"))
        if self.target.startswith("aarch64"):
            return (*flags, *AARCH64_FLAGS)
        return flags if self.clang else (*flags, *GNU_X86_FLAGS)

    def run(self, arguments: Sequence[str], *, cwd: Path) -> None:
        """Run the compiler in a folder, which also gets its temporary files.

        Raises:
            CompilerMissing: The compiler is no longer installed.
            CompileError: The compiler rejects its input, was killed, or exceeds the time limit.
        """
        if not self.is_present:
            raise CompilerMissing(say("refusal.no_compiler", "en"))
        environment = {**os.environ, "LC_MESSAGES": "C", "LC_CTYPE": "C.UTF-8", "TMPDIR": str(cwd)}
        environment.pop("LC_ALL", None)
        environment.pop("LANGUAGE", None)
        with subprocess.Popen(
            [*self.command, *arguments],
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        ) as process:
            try:
                _, said = process.communicate(timeout=COMPILE_SECONDS)
            except subprocess.TimeoutExpired:
                told = say("refusal.compiler_endless", "en", seconds=f"{COMPILE_SECONDS:.0f}")
                raise CompileError(told) from None
            finally:
                # Killing the driver alone would leave the processes that it started.
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
        if process.returncode < 0:
            name = signal.Signals(-process.returncode).name
            raise CompileError(say("refusal.compiler_killed", "en", signal=name))
        if process.returncode:
            raise CompileError(said.strip())


def find_toolchain(cache: Path | None = None) -> Toolchain:
    """Return the compiler that ``CXX`` names, or else g++ or clang++, or else the last one used.

    Args:
        cache: The folder of the products; None means ``cache_folder()``.

    Raises:
        CompilerMissing: None is installed, and none has ever built anything here.
    """
    is_portable = bool(os.environ.get("CUSIM_PORTABLE"))
    return _find(
        os.environ.get("CXX", ""), os.environ.get("PATH", ""), cache or cache_folder(), is_portable
    )


@functools.cache
def _find(named: str, path: str, cache: Path, is_portable: bool) -> Toolchain:
    wanted = [shlex.split(named)] if named.strip() else [["g++"], ["clang++"], ["c++"]]
    for command in wanted:
        found = shutil.which(command[0], path=path)
        if found is not None:
            version = _version((found, *command[1:]), cache)
            complete = (found, *command[1:])
            return _toolchain(complete, version, cache, is_present=True, is_portable=is_portable)
    if named.strip():
        raise CompilerMissing(say("refusal.no_named_compiler", "en", compiler=named))
    last = _read_record(cache)
    if not last:
        raise CompilerMissing(say("refusal.no_compiler", "en"))
    last_command, version = tuple(last["command"]), str(last["version"])
    return _toolchain(last_command, version, cache, is_present=False, is_portable=is_portable)


def _toolchain(
    command: tuple[str, ...], version: str, cache: Path, *, is_present: bool, is_portable: bool
) -> Toolchain:
    return Toolchain(
        command=command,
        identity=digest(*command, version, _processor(), is_portable),
        clang=_clang(version),
        target=version.rpartition("\n")[2],
        is_present=is_present,
        cache=cache,
        is_portable=is_portable,
    )


def _clang(version: str) -> int:
    found = re.search(r"clang version (\d+)", version)
    return int(found[1]) if found else 0


def _version(command: tuple[str, ...], cache: Path) -> str:
    """Return the compiler's version and, in the last line, its target; cache the result."""
    about = os.stat(command[0])
    stamp = [*command, about.st_size, about.st_mtime_ns]
    last = _read_record(cache)
    if last and last["stamp"] == stamp:
        return str(last["version"])
    done, target = (
        subprocess.run([*command, word], capture_output=True, text=True, check=False)
        for word in ("--version", "-dumpmachine")
    )
    if done.returncode:
        said, words = done.stderr.strip(), shlex.join(command)
        raise CompilerMissing(say("refusal.broken_compiler", "en", command=words, said=said))
    version = f"{done.stdout.rstrip()}\n{target.stdout.strip()}"
    record = {"command": list(command), "stamp": stamp, "version": version}
    try:
        cache.mkdir(parents=True, exist_ok=True)
        part = cache / f"{RECORD}.{os.getpid()}"
        part.write_text(json.dumps(record), encoding="utf-8")
        part.replace(cache / RECORD)
    except OSError:
        pass  # If nothing can be written, building the first product reports it.
    return version


def _read_record(cache: Path) -> dict[str, list[str] | str]:
    try:
        record = json.loads((cache / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    is_whole = isinstance(record, dict) and {"command", "stamp", "version"} <= set(record)
    return record if is_whole else {}


@functools.cache
def _processor() -> str:
    """Return the processor properties that ``-march=native`` depends on."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.machine() + platform.processor()
    wanted = ("model name", "flags", "Features", "CPU part")
    lines = {line for line in text.splitlines() if line.startswith(wanted)}
    return platform.machine() + "\n".join(sorted(lines))
