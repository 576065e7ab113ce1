"""Client of the sandboxed compiler of native submissions (host side, no torch)."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torchstone.bank.schema import Extension, Kind, Package
from torchstone.core.i18n import LANGS, both, text
from torchstone.core.patch import read_program
from torchstone.core.verdict import Verdict
from torchstone.cudasim.toolchain import Build, Toolchain, find_toolchain
from torchstone.cudasim.words import translate
from torchstone.judge.build.kept_variants import KeptVariants, variant_key
from torchstone.judge.build.records import CudaOrder, ExplainOrder, PrepareOrder
from torchstone.judge.build.wheel_check import BadWheel, refuse_wheel
from torchstone.judge.child import wire
from torchstone.judge.child.frames import ToCompiler
from torchstone.judge.excerpt import excerpt
from torchstone.judge.messages import Card, CardError, Forbidden, Raised
from torchstone.judge.native.build import torch_folder
from torchstone.judge.order import (
    Cancelled,
    JudgeFault,
    MachineBusy,
    Native,
    Order,
    Outcome,
    OverKernel,
)
from torchstone.judge.pool.channel import Channel, Ended, How, OnWait, open_channel
from torchstone.judge.pool.outcomes import printable
from torchstone.judge.pool.replies import (
    BuildFault,
    BuiltProducts,
    Explained,
    OnCard,
    Refused,
    read_built,
    read_reply,
)
from torchstone.judge.pool.submission_process import Dead
from torchstone.judge.pool.time_limit import Allowance, Meter
from torchstone.judge.sandbox.compiling import Launch

# Limits of CPU time and of idle time. Each process of a compiler has ten seconds of CPU time.
BUILD_SECONDS = 60.0
EXPLAIN_SECONDS = 30.0
PRODUCT_CAP = 128 << 20
OUTPUT_CAP = 1 << 16

# SIGXCPU or SIGKILL, as the status of the process or as the exit code of bubblewrap.
_OUT_OF_TIME = (-24, -9, 128 + 24, 128 + 9)
_TOO_LONG = Refused(refused=Verdict.CE, key="too_long", word="", line=0)
_ENDED = Refused(refused=Verdict.CE, key="package_ended", word=f"{BUILD_SECONDS:g}", line=0)

# A wheel takes long to build, so no variant of it is compared with a submission.
_COMPARED = {Kind.CUDA: "*.cu", Kind.CPP: "*.cpp", Kind.OPERATOR: "*.py"}

Start = Callable[[list[int]], Launch]


@dataclass(slots=True)
class CompilerClient:
    """Send requests to the process that builds one submission and then finds its source lines."""

    order: Order
    channel: Channel
    _process: subprocess.Popen[bytes]
    _launch: Launch
    _meter: Meter | None
    _built: dict[str, bytes] | None = None
    # Whether the folder holds another program, so that `explain` cannot find lines any more.
    _has_other: bool = False

    @classmethod
    def start(cls, order: Order, start: Start) -> CompilerClient:
        """Start a compiler's sandbox."""
        channel, fds = open_channel(output_cap=OUTPUT_CAP, blob_cap=PRODUCT_CAP)
        with channel.closed_on_error():
            launch = start(fds)
            process = subprocess.Popen(
                launch.argv,
                env=launch.env,
                pass_fds=launch.pass_fds,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        for fd in fds:
            os.close(fd)
        return cls(order, channel, process, launch, Meter.of(process.pid))

    @property
    def native(self) -> Native:
        """Return the recipe of a submission in CUDA, or of the kernel that it calls."""
        unit = self.order.assignment.unit
        assert unit is not None, "only a problem with CUDA code has this recipe"
        return unit

    @property
    def is_alive(self) -> bool:
        """Return whether its process runs."""
        return self._process.poll() is None

    @property
    def is_reusable(self) -> bool:
        """Return whether another job can use its build of the submission."""
        return self._built is not None and not self._has_other

    def prepare(self) -> dict[str, bytes]:
        """Build the launcher of the problem, which all submissions use."""
        order: PrepareOrder = {"launcher": self.native.launcher, "contract": self.native.contract}
        return dict(self._ask(ToCompiler.PREPARE, order, BUILD_SECONDS))

    def begin(self, launcher: dict[str, bytes]) -> None:
        """Start the build of the submission; ``built`` waits for its end.

        Args:
            launcher: The result of ``prepare``; empty if the problem has no launcher.
        """
        buffers = self._build_order(self.order.source, launcher)
        self._guard(lambda on_wait: self.channel.post(buffers, on_wait), 10.0)

    def _build_order(
        self, source: str, launcher: dict[str, bytes], *, ask_nvcc: bool = True
    ) -> list[Any]:
        recipe, entries = self.order.assignment.recipe, self.order.assignment.names
        if isinstance(recipe, OverKernel):
            source, entries, ask_nvcc = recipe.kernel, recipe.entries, False
        if (unit := self.order.assignment.unit) is not None:
            order: CudaOrder = {
                "source": source,
                "contract": unit.contract,
                "launcher": launcher,
                "calls": list(unit.calls),
                "entries": list(entries),
                "ask_nvcc": ask_nvcc,
            }
            return wire.pack(ToCompiler.BUILD_CUDA, order)
        is_extension = isinstance(recipe, Extension)
        kind = ToCompiler.BUILD_EXTENSION if is_extension else ToCompiler.BUILD_WHEEL
        return wire.pack(kind, {"source": source, "torch": str(torch_folder())})

    def built(self) -> dict[str, bytes]:
        """Return the products: a module for each build of CUDA, a library, or a wheel.

        Raises:
            Dead: The compiler or a rule refuses the submission.
        """
        if self._built is None:
            try:
                reply = self._guard(
                    lambda on_wait: self.channel.exchange([], on_wait), BUILD_SECONDS
                )
            except MachineBusy:
                raise
            except JudgeFault:
                # The compiler process has its own time limit; a text can be slow to read. The code
                # of a package runs during its build and can kill the compiler process.
                is_package = isinstance(self.order.assignment.recipe, Package)
                if self._process.poll() not in _OUT_OF_TIME and not is_package:
                    raise
                raise Dead(_outcome(_ENDED if is_package else _TOO_LONG)) from None
            result = read_built(reply.decode())
            if isinstance(result, BuildFault):
                words = excerpt(self.channel.written.decode(errors="replace"), max_chars=1500)
                raise JudgeFault(f"{result.fault}: {words}")
            if isinstance(result, Refused):
                raise Dead(_outcome(result))
            self._refuse_wheel(result.built)
            self._built = result.built
        return self._built

    def _refuse_wheel(self, built: dict[str, bytes]) -> None:
        recipe = self.order.assignment.recipe
        if isinstance(recipe, Package):
            try:
                refuse_wheel(built["wheel"], recipe)
            except BadWheel as bad:
                code = Verdict(bad.code)
                raise Dead(
                    _outcome(Refused(refused=code, key=bad.key, word=bad.word, line=0))
                ) from None

    def ask_nvcc(self) -> Card | None:
        """Return the report of NVIDIA's compiler; None if it is not installed."""
        return read_reply(OnCard, self._ask(ToCompiler.ASK_NVCC, {}, BUILD_SECONDS)).nvcc

    def build_variant(self, source: str, launcher: dict[str, bytes]) -> dict[str, bytes] | None:
        """Build another program in place of the submission; return None if it does not compile."""
        self._has_other = True
        buffers = self._build_order(source, launcher, ask_nvcc=False)
        result = read_built(self._exchange(buffers, BUILD_SECONDS))
        return result.built if isinstance(result, BuiltProducts) else None

    def explain(
        self, build: str, *, findings: Sequence[str] = (), counters: Sequence[str] = ()
    ) -> Explained:
        """Map addresses to lines of the submission; see ``build.compiler_process``."""
        order: ExplainOrder = {
            "source": self.order.source,
            "build": build,
            "findings": list(findings),
            "counters": list(counters),
        }
        return read_reply(Explained, self._ask(ToCompiler.EXPLAIN, order, EXPLAIN_SECONDS))

    def spent_cpu_s(self) -> float:
        """Return the CPU seconds that the process and its compilers have used."""
        usage = None if self._meter is None else self._meter.read()
        return 0.0 if usage is None else usage.cpu_s

    def end(self) -> None:
        """End the process and free its resources."""
        # Kill the whole process group: below level `namespaces` nothing else ends its children.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self.channel.close()
        self._launch.close()

    def _ask(self, kind: ToCompiler, order: Mapping[str, object], seconds: float) -> Any:
        return self._exchange(wire.pack(kind, order), seconds)

    def _exchange(self, buffers: list[Any], seconds: float) -> Any:
        return self._guard(
            lambda on_wait: self.channel.exchange(buffers, on_wait), seconds
        ).decode()

    def _guard(self, step: Callable[[OnWait], Any], seconds: float) -> Any:
        try:
            return step(Allowance.of_judge(seconds).watch(self._meter))
        except Ended as ended:
            if ended.how is How.CANCELLED:
                raise Cancelled from None
            if ended.how is How.STALLED:
                raise MachineBusy(str(ended)) from None
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(2.0)  # so that its output is complete
            self.channel.finish()
            words = excerpt(self.channel.written.decode(errors="replace"), max_chars=1500)
            raise JudgeFault(f"the compiler's sandbox failed ({ended}): {words}") from None


def refused_by_nvcc(error: CardError) -> Outcome:
    """Return the outcome when only NVIDIA's compiler refuses the submission."""
    word, line = printable(error.word), error.line or None
    return Outcome(
        code=Verdict.CE,
        detail=both("judge.native.nvcc", word=word, line=line or "?"),
        at_load=True,
        error=_error_at(word, line),
    )


def _outcome(refused: Refused) -> Outcome:
    """Return the outcome of a submission that was not built."""
    code, word, line = refused.refused, printable(refused.word), refused.line or None
    detail: dict[str, str] = {
        lang: text(
            f"judge.native.{refused.key}", lang, word=translate(word, lang), line=line or "?"
        )
        for lang in LANGS
    }
    if code is Verdict.FORBIDDEN_OP:
        forbidden = Forbidden(operator=word, line=line, text="")
        return Outcome(code=code, detail=detail, at_load=True, forbidden=forbidden)
    return Outcome(code=code, detail=detail, at_load=True, error=_error_at(word, line))


def _error_at(word: str, line: int | None) -> Raised | None:
    return Raised(type="error", message=word, line=line, text="") if line else None


# The key of a build: the hash of the problem, which has the recipe, and the source.
Built = tuple[str, str]


def _key_of(order: Order) -> Built:
    return order.assignment.content_hash, order.source


@dataclass(slots=True)
class BuildService:
    """Start compilers, and keep what they share: the simulator's runtimes and the launchers.

    Attributes:
        cache: The folder of the simulator's products; compilers can read it.
        launch: Builds the command of a sandbox.
        num_kept: How many builds stay for the next job with the same text.
    """

    cache: Path
    launch: Callable[[Kind, list[int]], Launch]
    num_kept: int = 0
    # In the order of use, the most recent last.
    _kept: dict[Built, CompilerClient] = field(default_factory=dict)
    _toolchain: Toolchain | None = None
    _launchers: dict[str, dict[str, bytes]] = field(default_factory=dict)
    _variants: dict[str, dict[str, bytes]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def runtimes(self) -> dict[str, str]:
        """Return the simulator's libraries by build; the first call builds them."""
        with self._lock:
            if self._toolchain is None:
                self._toolchain = find_toolchain(cache=self.cache)
            for build in Build:
                self._toolchain.header(build)
            return {build.value: str(self._toolchain.runtime(build)) for build in Build}

    def start(self, order: Order) -> CompilerClient:
        """Start the build of a submission and return its compiler; ``finish`` ends the job."""
        with self._lock:
            kept = self._kept.pop(_key_of(order), None)
        if kept is not None:
            if kept.is_alive:
                kept.order = order
                return kept
            kept.end()
        if order.assignment.unit is not None:
            self.runtimes()
        launch = functools.partial(self.launch, order.assignment.kind)
        compiler = CompilerClient.start(order, launch)
        try:
            compiler.begin(self._launcher(compiler))
        except BaseException:
            compiler.end()
            raise
        return compiler

    def finish(self, compiler: CompilerClient, *, is_whole: bool) -> None:
        """End the compiler of a job, or keep it if another job can use its build.

        Args:
            compiler: The compiler; no other job uses it.
            is_whole: Whether the job ran to its end.
        """
        surplus = [compiler]
        if self.num_kept and is_whole and compiler.is_alive and compiler.is_reusable:
            # Each job has its own cap on the output.
            compiler.channel.written.clear()
            with self._lock:
                # If two jobs have built the same text at once, one compiler stays.
                other = self._kept.pop(_key_of(compiler.order), None)
                self._kept[_key_of(compiler.order)] = compiler
                oldest = list(self._kept)[: -self.num_kept]
                surplus = [self._kept.pop(key) for key in oldest]
            surplus += [other] if other is not None else []
        for each in surplus:
            each.end()

    def close(self) -> None:
        """End the compilers that are kept."""
        with self._lock:
            kept = list(self._kept.values())
            self._kept.clear()
        for compiler in kept:
            compiler.end()

    def variants(self, compiler: CompilerClient) -> Iterator[tuple[str, str, dict[str, bytes]]]:
        """Yield the wrong variants of a compiler's problem: name, source and products.

        The products are kept for the next job, and on the disk for the next host.
        """
        launcher = self._launcher(compiler)
        wrong = compiler.order.assignment.folder / "wrong"
        pattern = _COMPARED.get(compiler.order.assignment.kind)
        for path in sorted(wrong.glob(pattern)) if pattern else ():
            source = read_program(wrong.parent, f"wrong/{path.name}")
            if isinstance(compiler.order.assignment.recipe, OverKernel):
                yield path.stem, source, compiler.built()
                continue
            kept = KeptVariants(self.cache.parent / "variants", self._variants)
            build = functools.partial(compiler.build_variant, source, launcher)
            built = kept.get(variant_key(compiler.order, source, launcher), build)
            if built is not None:
                yield path.stem, source, built

    def _launcher(self, compiler: CompilerClient) -> dict[str, bytes]:
        native = compiler.order.assignment.unit
        if native is None:
            return {}
        text = f"{len(native.contract)}\0{native.contract}{native.launcher}"
        key = hashlib.sha256(text.encode()).hexdigest()
        with self._lock:
            if key not in self._launchers:
                self._launchers[key] = compiler.prepare()
            return self._launchers[key]
