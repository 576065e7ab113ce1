"""Have native submissions built in a sandbox of their own (host side, no torch)."""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torchstone.core.i18n import both
from torchstone.cudasim.toolchain import Build, Toolchain, find_toolchain
from torchstone.judge.channel import Channel, Ended, How, open_channel
from torchstone.judge.child import wire
from torchstone.judge.contestant import Dead, printable
from torchstone.judge.order import Cancelled, JudgeFault, Native, Order, Outcome
from torchstone.judge.sandbox.compiling import Launch

# Each process of a compiler has ten seconds; a busy machine is nobody's fault.
BUILD_SECONDS = 60.0
EXPLAIN_SECONDS = 30.0
PRODUCT_CAP = 128 << 20
OUTPUT_CAP = 1 << 16

# SIGXCPU or SIGKILL, by itself or as bubblewrap passes it on.
_OUT_OF_TIME = (-24, -9, 128 + 24, 128 + 9)
_TOO_LONG = {"refused": "CE", "key": "too_long", "word": "", "line": 0}

Start = Callable[[list[int]], Launch]


@dataclass(slots=True)
class Smith:
    """Hold the process that builds one submission, and afterwards knows its lines."""

    order: Order
    native: Native
    channel: Channel
    _process: subprocess.Popen[bytes]
    _launch: Launch
    _modules: dict[str, bytes] | None = None

    @classmethod
    def start(cls, order: Order, native: Native, start: Start) -> Smith:
        """Start a compiler's sandbox."""
        channel, fds = open_channel(output_cap=OUTPUT_CAP, blob_cap=PRODUCT_CAP)
        with channel.closed_on_error():
            launch = start(fds)
            process = subprocess.Popen(
                launch.argv, env=launch.env, pass_fds=launch.pass_fds, stdin=subprocess.DEVNULL
            )
        for fd in fds:
            os.close(fd)
        return cls(order, native, channel, process, launch)

    def prepare(self) -> dict[str, bytes]:
        """Build the problem's own unit, for all submissions."""
        order = {"launcher": self.native.launcher, "contract": self.native.contract}
        prepared: dict[str, bytes] = self._ask(b"P", order, BUILD_SECONDS)
        return prepared

    def begin(self, launcher: dict[str, bytes]) -> None:
        """Have the submission built; ``modules`` waits for it.

        Args:
            launcher: What ``prepare`` gave.
        """
        order = self._build_order(self.order.source, launcher)
        self._guard(lambda deadline: self.channel.post(wire.pack(b"B", order), deadline), 10.0)

    def _build_order(self, source: str, launcher: dict[str, bytes]) -> dict[str, Any]:
        return {
            "source": source,
            "contract": self.native.contract,
            "launcher": launcher,
            "calls": list(self.native.calls),
            "entries": list(self.order.assignment.names),
            "ask_nvcc": True,
        }

    def modules(self) -> dict[str, bytes]:
        """Return what was built, by build.

        Raises:
            Dead: It cannot be: the compiler, or a rule, refuses it.
        """
        if self._modules is None:
            try:
                reply = self._guard(
                    lambda deadline: self.channel.exchange([], deadline), BUILD_SECONDS
                )
            except JudgeFault:
                # Its own time is limited, too: the text was made to be read for ever.
                if self._process.poll() not in _OUT_OF_TIME:
                    raise
                raise Dead(_outcome(_TOO_LONG)) from None
            built: dict[str, Any] = reply.decode()
            if "modules" not in built:
                raise Dead(_outcome(built))
            self._modules = built["modules"]
        return self._modules

    def ask_nvcc(self) -> dict[str, Any] | None:
        """Return what NVIDIA's compiler says; None where there is none."""
        told: dict[str, Any] | None = self._ask(b"V", {}, BUILD_SECONDS)["nvcc"]
        return told

    def build_variant(self, source: str, launcher: dict[str, bytes]) -> dict[str, bytes] | None:
        """Build another program of the same problem; None if it does not compile.

        What this smith knew of lines is lost.
        """
        order = self._build_order(source, launcher) | {"ask_nvcc": False}
        modules: dict[str, bytes] | None = self._ask(b"B", order, BUILD_SECONDS).get("modules")
        return modules

    def explain(
        self, build: str, *, findings: Sequence[str] = (), counters: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Turn addresses into lines of the submission; see ``kinds.forge``."""
        order = {
            "source": self.order.source,
            "build": build,
            "findings": list(findings),
            "counters": list(counters),
        }
        explained: dict[str, Any] = self._ask(b"X", order, EXPLAIN_SECONDS)
        return explained

    def end(self) -> None:
        """End the process and free what it stood on."""
        self._process.kill()
        self._process.wait()
        self.channel.close()
        self._launch.close()

    def _ask(self, kind: bytes, order: dict[str, Any], seconds: float) -> Any:
        buffers = wire.pack(kind, order)
        return self._guard(
            lambda deadline: self.channel.exchange(buffers, deadline), seconds
        ).decode()

    def _guard(self, step: Callable[[float], Any], seconds: float) -> Any:
        try:
            return step(time.monotonic() + seconds)
        except Ended as ended:
            if ended.how is How.CANCELLED:
                raise Cancelled from None
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(2.0)  # so that its last words are all there
            self.channel.finish()
            words = bytes(self.channel.written[-1500:]).decode(errors="replace")
            raise JudgeFault(f"the compiler's sandbox failed ({ended}): {words}") from None


def refused_by_nvcc(error: dict[str, Any]) -> Outcome:
    """Say that NVIDIA's compiler refuses what ours takes."""
    word, line = printable(str(error["word"])), error["line"] or None
    return Outcome(
        code="CE",
        detail=both("judge.native.nvcc", word=word, line=line or "?"),
        at_load=True,
        error={"type": "error", "message": word, "line": line, "text": ""} if line else None,
    )


def _outcome(refused: dict[str, Any]) -> Outcome:
    """Say why a submission was not built."""
    code, key, word = refused["refused"], refused["key"], printable(str(refused["word"]))
    line = refused["line"] or None
    detail = both(f"judge.native.{key}", word=word, line=line or "?")
    if code == "FORBIDDEN_OP":
        forbidden = {"operator": word, "line": line, "text": ""}
        return Outcome(code=code, detail=detail, at_load=True, forbidden=forbidden)
    error = {"type": "error", "message": word, "line": line, "text": ""} if line else None
    return Outcome(code=code, detail=detail, at_load=True, error=error)


@dataclass(slots=True)
class Smithy:
    """Start smiths, and keep what they all need: the simulator's runtimes, the problems' units.

    Attributes:
        cache: Where the simulator's products are kept; compilers may read it.
        launch: Builds the command of a sandbox.
    """

    cache: Path
    launch: Callable[[list[int]], Launch]
    _toolchain: Toolchain | None = None
    _launchers: dict[str, dict[str, bytes]] = field(default_factory=dict)
    _variants: dict[str, dict[str, bytes]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def runtimes(self) -> dict[str, str]:
        """Return the simulator's libraries by build; the first time they are built."""
        with self._lock:
            if self._toolchain is None:
                self._toolchain = find_toolchain(cache=self.cache)
            for build in Build:
                self._toolchain.header(build)
            return {build.value: str(self._toolchain.runtime(build)) for build in Build}

    def start(self, order: Order, native: Native) -> Smith:
        """Have a submission built; its smith knows what came of it."""
        self.runtimes()
        smith = Smith.start(order, native, self.launch)
        try:
            smith.begin(self._launcher(smith, native))
        except BaseException:
            smith.end()
            raise
        return smith

    def variants(self, smith: Smith) -> Iterator[tuple[str, dict[str, bytes]]]:
        """Yield the wrong variants of a smith's problem, built; they are kept for the next job."""
        launcher = self._launcher(smith, smith.native)
        for path in sorted((smith.order.assignment.folder / "wrong").glob("*.cu")):
            source = path.read_text(encoding="utf-8")
            key = hashlib.sha256(f"{path}\0{source}".encode()).hexdigest()
            if key not in self._variants:
                built = smith.build_variant(source, launcher)
                if built is None:
                    continue
                self._variants[key] = built
            yield path.stem, self._variants[key]

    def _launcher(self, smith: Smith, native: Native) -> dict[str, bytes]:
        text = f"{len(native.contract)}\0{native.contract}{native.launcher}"
        key = hashlib.sha256(text.encode()).hexdigest()
        with self._lock:
            if key not in self._launchers:
                self._launchers[key] = smith.prepare()
            return self._launchers[key]
