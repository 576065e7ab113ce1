"""Build service: start compilers for submissions, cache builds, and build the wrong variants."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from torchstone.bank.schema import Extension, Kind
from torchstone.bank.variant import Shelf, Variant, parse_variant
from torchstone.core.patch import read_program
from torchstone.cudasim.products import CacheError
from torchstone.cudasim.toolchain import (
    Build,
    CompileError,
    CompilerMissing,
    Toolchain,
    find_toolchain,
)
from torchstone.judge.build.compiler_client import CompilerClient
from torchstone.judge.build.compiler_sandbox import Launch
from torchstone.judge.build.extension import make_shared
from torchstone.judge.build.kept_variants import KeptVariants, variant_key
from torchstone.judge.native.build import torch_folder
from torchstone.judge.order import Order, OverKernel

# Key of a build: the hash of the problem, which contains the recipe, and the source.
Built = tuple[str, str]


def _key_of(order: Order) -> Built:
    return order.assignment.content_hash, order.source


@dataclass(slots=True)
class BuildService:
    """Service that starts compilers and keeps their shared files: runtimes and launchers.

    Attributes:
        cache: The folder of the simulator's products; compilers can read it.
        launch: Builds the command of a sandbox.
        num_kept: Number of builds that are kept for later jobs with the same text.
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
    _maker: threading.Thread | None = None
    # Idle compilers that have read no submission, by kind; one for the next job of each kind.
    _spares: dict[Kind, CompilerClient] = field(default_factory=dict)
    _is_closed: bool = False

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
        if isinstance(order.assignment.recipe, Extension):
            self._begin_shared()
        compiler = self._take_spare(order) or self._new(order)
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
            # The output cap applies to each job separately.
            compiler.channel.written.clear()
            with self._lock:
                # If two jobs have built the same text at the same time, one compiler is kept.
                other = self._kept.pop(_key_of(compiler.order), None)
                self._kept[_key_of(compiler.order)] = compiler
                oldest = list(self._kept)[: -self.num_kept]
                surplus = [self._kept.pop(key) for key in oldest]
            surplus += [other] if other is not None else []
        for each in surplus:
            each.end()
        self._provide_spare(compiler.order)

    def close(self) -> None:
        """End the idle compilers, and wait for the build of the shared products."""
        with self._lock:
            kept, maker = [*self._kept.values(), *self._spares.values()], self._maker
            self._kept.clear()
            self._spares.clear()
            self._is_closed = True
        if maker is not None:
            maker.join()
        for compiler in kept:
            compiler.end()

    def variants(
        self, compiler: CompilerClient, group: str = ""
    ) -> Iterator[tuple[str, str, dict[str, bytes]]]:
        """Yield the wrong variants of a compiler's problem: name, source and products.

        The products are cached in memory for the next job, and on disk for the next host.

        Args:
            compiler: The compiler that has built the submission.
            group: The group of cases whose variants come first.
        """
        launcher = self._launcher(compiler)
        for variant in compared_variants(compiler.order, group):
            name, source = variant.name, variant.source
            if isinstance(compiler.order.assignment.recipe, OverKernel):
                yield name, source, compiler.built()
                continue
            kept = KeptVariants(self.cache.parent / "variants", self._variants)
            build = functools.partial(compiler.build_variant, source, launcher)
            built = kept.get(variant_key(compiler.order, source, launcher), build)
            if built is not None:
                yield name, source, built

    def _new(self, order: Order) -> CompilerClient:
        return CompilerClient.start(order, functools.partial(self.launch, order.assignment.kind))

    def _take_spare(self, order: Order) -> CompilerClient | None:
        """Return a compiler that was started in advance; None if none is running."""
        with self._lock:
            spare = self._spares.pop(order.assignment.kind, None)
        if spare is not None and not spare.is_alive:
            spare.end()
            return None
        if spare is not None:
            spare.order = order
        return spare

    def _provide_spare(self, order: Order) -> None:
        """Start a spare compiler for the next job, because learners often submit again soon."""
        kind = order.assignment.kind
        with self._lock:
            if self._is_closed or kind in self._spares:
                return
            # If it does not start, the next job starts its own and reports the failure.
            with contextlib.suppress(OSError):
                self._spares[kind] = self._new(order)

    def _begin_shared(self) -> None:
        """Start building the products that extensions share; builds before its end do without."""
        with self._lock:
            if self._maker is None:
                self._maker = threading.Thread(target=self._make_shared, name="torch-ahead")
                self._maker.start()

    def _make_shared(self) -> None:
        try:
            make_shared(find_toolchain(cache=self.cache), torch_folder())
        except (CacheError, CompileError, CompilerMissing) as error:
            # A submission that does not compile reports that itself; others are only built slowly.
            warnings.warn(f"extensions are built slowly: {error}", RuntimeWarning, stacklevel=1)

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


def compared_variants(order: Order, group: str) -> list[Variant]:
    """Return the wrong variants that answer cases; those that fail in the group come first."""
    folder, suffix = order.assignment.folder, order.assignment.kind.language.suffix
    found = [
        parse_variant(path, read_program(folder, f"wrong/{path.name}"), shelf=Shelf.WRONG)
        for path in sorted((folder / "wrong").glob(f"*{suffix}"))
    ]
    # A package that fails before the first case has no group.
    answering = [each for each in found if each.group is not None]
    return sorted(answering, key=lambda each: each.group != group)
