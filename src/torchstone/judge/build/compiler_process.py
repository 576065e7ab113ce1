"""Compiler process: build native submissions, and map addresses to source lines.

One process in its own sandbox builds one submission. It starts compilers, and for a package the
hooks of the build backend; other sandboxes run the products. ``child.protocol.frames.ToCompiler``
lists the frames from the host; the process answers each with one ``REPLY``.
"""

from __future__ import annotations

import os
import re
import resource
import socket
import sys
import tarfile
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from torchstone.cudasim.diagnostics import Diagnostic, Texts, read_messages
from torchstone.cudasim.nvcc import Answer, ask_nvcc
from torchstone.cudasim.rewrite import rewrite
from torchstone.cudasim.tokens import CudaSyntaxError
from torchstone.cudasim.toolchain import Build, CompileError, Toolchain, find_toolchain
from torchstone.judge.build.explaining import NOT_VALID, explain
from torchstone.judge.build.extension import build_extension
from torchstone.judge.build.objects import BadObject, find_forbidden, read_symbols
from torchstone.judge.build.records import (
    BuildReply,
    CardErrorTable,
    CardReply,
    CompilerSettings,
    CudaOrder,
    ExplainedReply,
    ExplainOrder,
    NvccOrder,
    PrepareOrder,
    Reply,
    TorchOrder,
    read_settings,
)
from torchstone.judge.build.refusals import (
    Refused,
    RefusedReply,
    not_compiled,
    refusal_of,
    refused,
)
from torchstone.judge.build.source import CUDA_RULES, Rules, refuse_expanded, refuse_source
from torchstone.judge.build.wheel import BackendBroken, Hooks, build_wheel
from torchstone.judge.child.confinement import confine
from torchstone.judge.child.protocol import stream, wire
from torchstone.judge.child.protocol.frames import REPLY, ToCompiler

NAME = "kernel.cu"
CONTRACT = "contract.h"
LAUNCHER = "launcher.cu"
LAUNCH_HEADER = Path(__file__).with_name("launch.h")
REQUEST_CAP = 64 << 20
# CPU seconds of each process of a compiler.
CPU_SECONDS = 10
PRODUCT_BYTES = 64 << 20


class CompilerProcess:
    """Builder of one submission in one folder; it also maps its addresses to lines."""

    def __init__(
        self,
        toolchain: Toolchain,
        folder: Path,
        *,
        site: Path | None = None,
        hooks: Hooks | None = None,
    ) -> None:
        """Set the compiler and the folders.

        Args:
            toolchain: The compiler.
            folder: The folder for all files of the build.
            site: The folder of installed packages; None means the one of torch.
            hooks: The process that calls the hooks of a package, if it runs already.
        """
        self._toolchain = toolchain
        self._site = site
        self._hooks = hooks
        self._folder = folder
        self._nvcc_thread = ThreadPoolExecutor(1)
        self._nvcc: Future[Answer | None] | None = None

    def prepare(self, order: PrepareOrder) -> dict[str, bytes]:
        """Compile the launcher of the problem in both builds, once for all submissions.

        Args:
            order: ``launcher`` and ``contract``, the texts of the problem.
        """
        self._write_contract(order["contract"])
        (self._folder / LAUNCH_HEADER.name).write_bytes(LAUNCH_HEADER.read_bytes())
        text = rewrite(order["launcher"], name=LAUNCHER).text
        (self._folder / LAUNCHER).write_text(text, encoding="utf-8")
        return {build.value: self._compile(LAUNCHER, build).read_bytes() for build in Build}

    def build(self, order: CudaOrder) -> BuildReply:
        """Build a submission; return the modules of both builds, or the reason for a refusal.

        Args:
            order: ``source``, the submission; ``contract``, the header that declares what it must
                define; ``launcher``, the objects that ``prepare`` returned; ``calls``, the
                permitted functions ``cuda...``; ``entries``, the names that it must define.
        """
        try:
            modules = self._modules(order)
            if order["ask_nvcc"]:
                self._nvcc = self._nvcc_thread.submit(self._ask_nvcc, order["source"])
            return {"built": modules}
        except (Refused, RecursionError, MemoryError) as error:
            return _reply_of(error)

    def build_extension(self, order: TorchOrder) -> BuildReply:
        """Build an extension of torch; return the library, or the reason for a refusal.

        Args:
            order: ``source``, the submission; ``torch``, where torch is installed.
        """
        torch = Path(order["torch"])
        try:
            library = build_extension(self._toolchain, self._folder, torch, order["source"])
        except (Refused, RecursionError, MemoryError) as error:
            return _reply_of(error)
        return {"built": {"library": library}}

    def build_wheel(self, order: TorchOrder) -> BuildReply:
        """Build a package; return the wheel, or the reason for a refusal.

        Args:
            order: ``source``, its files in one text; ``torch``, where torch is installed.
        """
        try:
            site = self._site or Path(order["torch"]).parent
            wheel = build_wheel(self._folder, site, order["source"], self._hooks)
        except (Refused, RecursionError, MemoryError) as error:
            return _reply_of(error)
        except BackendBroken as error:
            return {"fault": str(error)}
        except (OSError, ValueError, tarfile.TarError) as error:
            # The package's code created, changed or removed a file during the build.
            return refusal_of("CE", "package_build", word=f"{type(error).__name__}: {error}")
        return {"built": {"wheel": wheel}}

    def _ask_nvcc(self, source: str) -> Answer | None:
        folder = self._folder / "card"
        folder.mkdir(exist_ok=True)
        (folder / NAME).write_text(source, encoding="utf-8", errors="surrogatepass")
        return ask_nvcc(folder / NAME)

    def report_nvcc(self, order: NvccOrder) -> CardReply:
        """Wait for NVIDIA's compiler and return its report on the submission."""
        answer = self._nvcc.result() if self._nvcc is not None else None
        if answer is None:
            return {"nvcc": None}
        error: CardErrorTable | None = None
        if answer.error:
            error = first_nvcc_error(answer.error)
            if error is None:
                return {"nvcc": None}  # NVIDIA's compiler was ended, for example at a limit
        kernels = [asdict(each) for each in answer.kernels]
        return {"nvcc": {"arch": answer.arch, "kernels": kernels, "error": error}}

    def _modules(self, order: CudaOrder) -> dict[str, bytes]:
        source = order["source"]
        rules = Rules(headers=CUDA_RULES.headers, calls=frozenset(order["calls"]))
        try:
            refusal = refuse_source(source, rules)
            if refusal is not None:
                raise Refused(refused(refusal))
            # The contract precedes the submission, so no macro of the submission changes it.
            text = f'#include "{CONTRACT}"\n#line 1 "{NAME}"\n{rewrite(source, name=NAME).text}'
        except CudaSyntaxError as error:
            message = Diagnostic(
                file=NAME, line=error.line, column=error.column, severity="error",
                message=error.message,
            )  # fmt: skip
            raise Refused(not_compiled([message])) from None
        self._write_contract(order["contract"])
        (self._folder / NAME).write_text(text, encoding="utf-8", errors="surrogatepass")
        texts = Texts(
            written={NAME: source},
            compiled={NAME: text.split("\n", 2)[2]},
            counts_bytes=bool(self._toolchain.clang),
        )
        self._refuse_expanded()
        with ThreadPoolExecutor(len(Build)) as both:
            return dict(both.map(lambda build: self._module(build, order, texts), Build))

    def _refuse_expanded(self) -> None:
        """Refuse an attribute that is visible only after macro expansion."""
        expanded = self._folder / "kernel.ii"
        try:
            self._toolchain.preprocess(self._folder / NAME, expanded)
        except CompileError:
            return  # the compiler reports the same error with a better message
        refusal = refuse_expanded(expanded.read_text("utf-8", "replace"), NAME)
        if refusal is not None:
            raise Refused(refused(refusal))

    def _module(self, build: Build, order: CudaOrder, texts: Texts) -> tuple[str, bytes]:
        launcher = self._folder / f"launcher.{build.value}.o"
        launcher.write_bytes(order["launcher"][build.value])
        module = self.module_path(build)
        try:
            compiled = self._compile(NAME, build)
            self._require_entries(compiled, build, order)
            self._toolchain.link([compiled, launcher], build, module)
        except CompileError as error:
            messages = read_messages(str(error), texts)
            self._refuse_overload(messages, order, texts)
            raise Refused(not_compiled(messages, str(error))) from None
        return build.value, module.read_bytes()

    def _refuse_overload(
        self, messages: Sequence[Diagnostic], order: CudaOrder, texts: Texts
    ) -> None:
        """Refuse an entry with other parameters, which the compiler treats as an overload."""
        first = next((each for each in messages if each.severity == "error"), None)
        if first is None or "Registered" not in first.message:
            return
        line = texts.written[NAME].split("\n")[first.line - 1]
        for name in order["entries"]:
            if re.search(rf"\b{name}\b", line):
                raise Refused(refusal_of("CE", "entry", word=name, line=first.line)) from None

    def _require_entries(self, compiled: Path, build: Build, order: CudaOrder) -> None:
        try:
            symbols = read_symbols(compiled.read_bytes())
        except BadObject as error:
            raise Refused(refusal_of("CE", "object", word=str(error))) from None
        of_launcher = read_symbols(order["launcher"][build.value])
        shared = symbols.defined & (of_launcher.defined | of_launcher.undefined)
        # Symbols of the simulator's headers and of the compiler itself are the same in both.
        common = re.compile(r".*5cusim|DW\.ref\.")
        replaced = {each for each in shared - {*order["entries"]} if not common.match(each)}
        for name in [*find_forbidden(symbols, order["calls"], entries=()), *sorted(replaced)]:
            raise Refused(refusal_of("FORBIDDEN_OP", "symbol", word=name))
        for name in order["entries"]:
            if name not in symbols.defined:
                raise Refused(refusal_of("CE", "entry", word=name))

    def _compile(self, name: str, build: Build) -> Path:
        compiled = (self._folder / name).with_suffix(f".{build.value}.o")
        self._toolchain.compile(self._folder / name, build, compiled)
        return compiled

    def _write_contract(self, text: str) -> None:
        (self._folder / CONTRACT).write_text(text, encoding="utf-8")

    def module_path(self, build: Build) -> Path:
        """Return the path of a built module."""
        return self._folder / f"module-{build.value}.so"

    def explain(self, order: ExplainOrder) -> ExplainedReply:
        """Map the findings and the counters of a runtime to lines of the submission.

        Args:
            order: ``source``; ``build``, the build that the addresses belong to; ``findings`` and
                ``counters``, lists of texts from runs, whose processes may be hostile.
        """
        return explain(order, str(self.module_path(Build(order["build"]))), name=NAME)


def _reply_of(error: BaseException) -> RefusedReply:
    if isinstance(error, Refused):
        return error.reply
    key = "too_deep" if isinstance(error, RecursionError) else "too_large"
    return refusal_of("CE", key, word="")


def first_nvcc_error(said: str) -> CardErrorTable | None:
    """Return the first error in the output of NVIDIA's compiler, or None if it names none.

    The assembler and the linker name no line: ``ptxas error   : Entry function 'k' uses too much
    shared data``. The line is then 0.
    """
    if found := re.search(rf"{re.escape(NAME)}\((\d+)\): error: (.*)", said):
        return {"line": int(found[1]), "word": found[2]}
    if found := re.search(r"\berror\s*: (.*)", said):
        return {"line": 0, "word": found[1]}
    return None


def confine_self(settings: CompilerSettings) -> None:
    """Drop the privileges that a compiler and its child processes do not need."""
    for kind, most in (
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_AS, settings.address_space_bytes),
        (resource.RLIMIT_FSIZE, PRODUCT_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))
    confine.drop_privileges(None)
    if settings.landlock is not None and confine.landlock_abi():
        ruleset = confine.landlock_ruleset(**asdict(settings.landlock))
        confine.landlock_restrict(ruleset)
        os.close(ruleset)
    if settings.filter_fd is not None:
        with os.fdopen(settings.filter_fd, "rb") as file:
            program = confine.prepare_seccomp(file.read())
        confine.load_seccomp(program)


def serve(sock: socket.socket, compiler: CompilerProcess) -> None:
    """Answer the host until it closes the socket."""
    operations: dict[ToCompiler, Callable[[Any], Reply]] = {
        ToCompiler.PREPARE: compiler.prepare,
        ToCompiler.BUILD_CUDA: compiler.build,
        ToCompiler.BUILD_EXTENSION: compiler.build_extension,
        ToCompiler.BUILD_WHEEL: compiler.build_wheel,
        ToCompiler.EXPLAIN: compiler.explain,
        ToCompiler.ASK_NVCC: compiler.report_nvcc,
    }
    inbox = stream.Inbox(sock.recv_into)
    while (frame := inbox.receive(blob_cap=REQUEST_CAP)) is not None:
        kind = ToCompiler(frame.kind)
        try:
            reply = operations[kind](frame.decode())
        except (*NOT_VALID, MemoryError) as error:
            # The input of EXPLAIN may be hostile and not valid. The input of a build is valid.
            if kind is not ToCompiler.EXPLAIN:
                raise
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            reply = {}
        stream.send(sock, wire.pack(REPLY, reply))


def main() -> None:
    """Serve with the descriptors and in the folder that the host names."""
    settings = read_settings(sys.argv[1])
    sock_fd, _, output_fd = settings.fds
    os.dup2(output_fd, 1)
    os.dup2(output_fd, 2)
    with socket.socket(fileno=sock_fd) as sock:
        confine_self(settings)
        site, folder = Path(settings.site) if settings.site else None, Path(settings.folder)
        hooks = Hooks(site, folder) if site is not None and settings.has_hooks else None
        serve(sock, CompilerProcess(find_toolchain(), folder, site=site, hooks=hooks))


if __name__ == "__main__":
    main()
