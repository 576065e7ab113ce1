"""Client of the sandboxed compiler of native submissions (host side, no torch)."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torchstone.bank.schema import Extension, Package
from torchstone.core.i18n import LANGS, both, text
from torchstone.core.verdict import Verdict
from torchstone.cudasim.words import translate
from torchstone.judge.build.compiler_sandbox import Launch
from torchstone.judge.build.records import CudaOrder, ExplainOrder, PrepareOrder
from torchstone.judge.build.wheel_check import BadWheel, refuse_wheel
from torchstone.judge.child.protocol import wire
from torchstone.judge.child.protocol.frames import ToCompiler
from torchstone.judge.excerpt import excerpt
from torchstone.judge.messages import Card, CardError, Forbidden, Raised
from torchstone.judge.native.build import torch_folder
from torchstone.judge.order import (
    Cancelled,
    Dead,
    JudgeFault,
    MachineBusy,
    Native,
    Order,
    Outcome,
    OverKernel,
)
from torchstone.judge.outcomes import printable
from torchstone.judge.process.channel import Channel, Ended, How, OnWait, open_channel
from torchstone.judge.process.time_limit import Allowance
from torchstone.judge.process.usage import Meter
from torchstone.judge.replies import (
    BuildFault,
    BuiltProducts,
    Explained,
    OnCard,
    Refused,
    read_built,
    read_reply,
)

# Limits in seconds on CPU time and on idle time. A compiler's processes have ten CPU seconds each.
BUILD_SECONDS = 60.0
EXPLAIN_SECONDS = 30.0
PRODUCT_CAP = 128 << 20
OUTPUT_CAP = 1 << 16

# SIGXCPU or SIGKILL, as the status of the process or as the exit code of bubblewrap.
_OUT_OF_TIME = (-24, -9, 128 + 24, 128 + 9)
_TOO_LONG = Refused(refused=Verdict.CE, key="too_long", word="", line=0)
_ENDED = Refused(refused=Verdict.CE, key="package_ended", word=f"{BUILD_SECONDS:g}", line=0)

Start = Callable[[list[int]], Launch]


@dataclass(slots=True)
class CompilerClient:
    """Client of the process that builds one submission and then finds its source lines."""

    order: Order
    channel: Channel
    _process: subprocess.Popen[bytes]
    _launch: Launch
    _meter: Meter | None
    _start: Start
    _built: dict[str, bytes] | None = None
    # Whether the folder contains another program, so that `explain` cannot find lines any more.
    _has_other: bool = False
    # The job's own compiler, if this one builds a variant for it, and the CPU seconds of such
    # builds.
    _owner: CompilerClient | None = None
    _apart_cpu_s: float = 0.0

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
        return cls(order, channel, process, launch, Meter.of(process.pid), start)

    @property
    def native(self) -> Native:
        """Return the recipe of a submission in CUDA, or of the kernel that it calls."""
        unit = self.order.assignment.unit
        assert unit is not None, "only a problem with CUDA code has this recipe"
        return unit

    @property
    def is_alive(self) -> bool:
        """Return whether its process is running."""
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
                # The compiler process has its own time limit, and a text can be slow to parse. A
                # package runs its own code during the build and can kill the compiler process.
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
        if isinstance(self.order.assignment.recipe, Package):
            return self._build_apart(source)
        self._has_other = True
        buffers = self._build_order(source, launcher, ask_nvcc=False)
        result = read_built(self._exchange(buffers, BUILD_SECONDS))
        return result.built if isinstance(result, BuiltProducts) else None

    def _build_apart(self, source: str) -> dict[str, bytes] | None:
        """Build a package in a new sandbox, because code of the submission has run in this one."""
        other = CompilerClient.start(replace(self.order, source=source), self._start)
        other._owner = self
        try:
            other.begin({})
            return other.built()
        except Dead:
            return None
        finally:
            self._apart_cpu_s += other.spent_cpu_s()
            other.end()

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
        reply = self._ask(ToCompiler.EXPLAIN, order, EXPLAIN_SECONDS)
        try:
            return read_reply(Explained, reply)
        except ValueError as error:
            # The texts come from processes of the submission; the verdict does not need them.
            warnings.warn(f"no lines of findings: {error}", RuntimeWarning, stacklevel=1)
            return Explained()

    def spent_cpu_s(self) -> float:
        """Return the CPU seconds of all its processes, including those that built variants."""
        usage = None if self._meter is None else self._meter.read()
        return self._apart_cpu_s + (0.0 if usage is None else usage.cpu_s)

    def end(self) -> None:
        """End the process and release its resources."""
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
        watch = Allowance.of_judge(seconds).watch(self._meter)

        def on_wait() -> float:
            if self._owner is not None:
                self.channel.cancelled = self._owner.channel.cancelled
            return watch()

        try:
            return step(on_wait)
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
        detail=both("judge.native.nvcc", word=word, line=line)
        if line
        else both("judge.native.nvcc_no_line", word=word),
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
        forbidden = Forbidden(operator=word, line=line, text="", file=refused.file or None)
        return Outcome(code=code, detail=detail, at_load=True, forbidden=forbidden)
    error = _error_at(word.removeprefix(f"{refused.file}: "), line, refused.file or None)
    return Outcome(code=code, detail=detail, at_load=True, error=error)


def _error_at(word: str, line: int | None, file: str | None = None) -> Raised | None:
    return Raised(type="error", message=word, line=line, text="", file=file) if line else None
