"""Compile CUDA C++ and call its kernels from Python."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from torchstone.cudasim.counters import CounterLog, KernelCounters
from torchstone.cudasim.findings import Finding, merge_findings, read_findings
from torchstone.cudasim.kernels import Kernel
from torchstone.cudasim.library import Entry, Runtime, Settings, load_runtime
from torchstone.cudasim.program import Product, build_program, order_file, order_texts
from torchstone.cudasim.report import render_findings
from torchstone.cudasim.toolchain import Build, find_toolchain
from torchstone.cudasim.words import Lang

ORDERS = ("ascending", "descending", "random")
MAX_REPORTED = 3


class KernelError(RuntimeError):
    """Raised when a launch fails, or a host function leaves a CUDA error.

    Attributes:
        code: The name of the CUDA error: "cudaErrorIllegalAddress".
        findings: The findings about the cause.
    """

    def __init__(self, message: str, *, code: str, findings: tuple[Finding, ...]) -> None:
        super().__init__(message)
        self.code = code
        self.findings = findings


class Module:
    """Compiled and loaded program; its kernels are its attributes.

    ``module.vadd(grid, block)(a, b, c, n)`` launches the kernel ``vadd`` and waits for it;
    ``module["ns::vadd"]`` and ``module["scale<float>"]`` give kernels whose names are no Python
    identifiers.
    """

    def __init__(self, product: Product, runtime: Runtime, settings: Settings) -> None:
        self._product = product
        self._runtime = runtime
        self._settings = settings
        self._library, entries = runtime.load(product.path)
        self._kernels = {_squeeze(entry.name): self._kernel(entry) for entry in entries}
        self._found: tuple[Finding, ...] = ()
        self._counted = CounterLog()

    def _kernel(self, entry: Entry) -> Kernel:
        declared = next((k.params for k in self._product.kernels if k.name == entry.name), "")
        names = tuple(_split_parameters(declared))
        return Kernel(
            entry=entry,
            names=names if len(names) == len(entry.parameters) else (),
            runtime=self._runtime,
            before=self._prepare,
            after=self._conclude,
        )

    def __repr__(self) -> str:
        name = next(iter(self._product.sources))
        return f"Module({name!r}, build={self._runtime.build.value!r}, kernels={self.kernels})"

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self.kernels]

    @property
    def kernels(self) -> tuple[str, ...]:
        """Return the names of the kernels that can be launched."""
        return tuple(kernel.entry.name for kernel in self._kernels.values())

    def __getattr__(self, name: str) -> Kernel:
        # Python looks up special names before __init__ has run, for example while copying.
        kernels = self.__dict__.get("_kernels", {})
        if name not in kernels:
            raise AttributeError(self._explain_absence(name) if kernels else name)
        kernel: Kernel = kernels[name]
        return kernel

    def __getitem__(self, name: str) -> Kernel:
        try:
            return self._kernels[_squeeze(name)]
        except KeyError:
            raise KeyError(self._explain_absence(name)) from None

    def _explain_absence(self, name: str) -> str:
        bare = name.partition("<")[0].strip()
        for kernel in self._product.kernels:
            if kernel.name == bare and kernel.is_template:
                return (
                    f"{bare} is a template; name its instance when you compile: "
                    f"compile(..., instantiate=[{name if '<' in name else f'{bare}<float>'!r}])"
                )
            if kernel.name == bare and kernel.is_overloaded:
                return f"several kernels are called {bare}; give them names of their own"
        return f"there is no kernel {name}; there are: {', '.join(self.kernels) or 'none'}"

    def function(self, name: str) -> Any:
        """Return an ``extern "C"`` function of the host, as ``ctypes`` does.

        Set its ``argtypes`` and ``restype`` as with ``ctypes``; a ``DeviceArray`` may be passed for
        a pointer. An error that its launches leave in ``cudaGetLastError`` is raised as
        ``KernelError``.

        Raises:
            AttributeError: There is no such function.
        """
        try:
            found = self._library[name]
        except AttributeError:
            raise AttributeError(
                f'there is no function {name}; is it declared extern "C", and not static?'
            ) from None
        self._prepare()

        def judge(result: Any, function: Any, arguments: Any) -> Any:
            with self._runtime.lock:
                self._conclude(name, self._runtime.take_error())
            return result

        found.errcheck = judge
        return found

    def findings(self) -> tuple[Finding, ...]:
        """Return the findings since the module was compiled, or its findings were cleared."""
        self._collect()
        return self._found

    def clear_findings(self) -> None:
        """Remove all findings."""
        self._collect()
        self._found = ()

    def report(self, lang: Lang = "en") -> str:
        """Format the findings for a person; empty if there are none.

        Args:
            lang: The language: "en" or "zh".
        """
        return render_findings(self.findings(), self._product.sources, lang=lang)

    def counters(self) -> tuple[KernelCounters, ...]:
        """Return the counters since the module was compiled, or its counters were cleared.

        Raises:
            ValueError: The module was compiled without ``check=True``, so it has no counters.
        """
        if self._runtime.build is not Build.CHECK:
            raise ValueError("counters: this module counts nothing; compile(..., check=True).")
        return self._counted.read()

    def clear_counters(self) -> None:
        """Reset the counters."""
        self._counted = CounterLog()

    def _collect(self) -> tuple[Finding, ...]:
        new = read_findings(self._runtime.take_findings())
        self._found = merge_findings((*self._found, *new))
        return new

    def _prepare(self) -> None:
        # A pending error of the program must not make this launch fail.
        self._runtime.take_error()
        self._runtime.take_findings()
        self._runtime.take_counters()
        self._runtime.configure(self._settings)

    def _conclude(self, name: str, error: int) -> None:
        new = self._collect()
        self._counted.add(self._runtime.take_counters())
        if not error:
            return
        self._runtime.take_error()
        code = self._runtime.name_error(error)
        message = f"{name}: {code} ({self._runtime.explain_error(error)})"
        if new:
            shown = render_findings(new[:MAX_REPORTED], self._product.sources)
            message = f"{message}\n{shown}"
        raise KernelError(message, code=code, findings=new)


def compile(
    source: str | Path | Mapping[str, str],
    *,
    check: bool = False,
    instantiate: Iterable[str] = (),
    name: str = "kernel.cu",
    order: str = "ascending",
    seed: int = 0,
    workers: int | None = None,
    watchdog_s: float | None = 20.0,
) -> Module:
    """Compile CUDA C++ and load it.

    Programs are cached by content: the same program is compiled only once.

    Args:
        source: The text of a program, the path of a file, or a mapping from file names to texts,
            each of which is compiled separately (as by ``nvcc -rdc=true``).
        check: Whether to build with the detectors, which observe every memory access.
        instantiate: Instances of kernel templates to register: ``["scale<float>"]``.
        name: The file name that messages show for a program given as text.
        order: The order in which threads and blocks begin: ascending, descending or random.
        seed: The seed of the random order.
        workers: The number of threads that share the blocks; None is one for each processor.
        watchdog_s: The time limit of a kernel in seconds; None is no limit.

    Raises:
        CompileError: The program is wrong; the message refers to its own lines.
        CompilerMissing: There is no C++ compiler.
        CacheError: The cache folder cannot be written.
        FileNotFoundError: There is no such file.
        ValueError: An argument is out of range.
    """
    settings = _settings(order, seed, workers, watchdog_s)
    build = Build.CHECK if check else Build.FAST
    if isinstance(instantiate, str):
        raise TypeError(f"instantiate is {instantiate!r}; expected a list of names.")
    if isinstance(source, Path):
        ordered = order_file(source, build=build, instantiate=tuple(instantiate))
    elif isinstance(source, str) and source.endswith((".cu", ".cuh")) and "\n" not in source:
        raise ValueError(f"source is {source!r}; pass the text, or Path({source!r}).")
    else:
        texts = {name: source} if isinstance(source, str) else source
        ordered = order_texts(texts, build=build, instantiate=tuple(instantiate))
    toolchain = find_toolchain()
    product = build_program(toolchain, ordered)
    return Module(product, load_runtime(toolchain, build), settings)


def _settings(order: str, seed: int, workers: int | None, watchdog_s: float | None) -> Settings:
    if order not in ORDERS:
        raise ValueError(f"order is {order!r}; expected one of {', '.join(ORDERS)}.")
    if not 0 <= seed < 1 << 64:
        raise ValueError(f"seed is {seed}; expected 0 to 2**64 - 1.")
    if workers is not None and not 1 <= workers <= 1024:
        raise ValueError(f"workers is {workers}; expected 1 to 1024, or None.")
    if watchdog_s is not None and not 0 < watchdog_s < 1e6:
        raise ValueError(f"watchdog_s is {watchdog_s}; expected seconds above 0, or None.")
    return Settings(
        order=ORDERS.index(order),
        seed=seed,
        num_workers=workers or 0,
        watchdog_ms=max(1, round(watchdog_s * 1000)) if watchdog_s is not None else 0,
    )


def _squeeze(name: str) -> str:
    """Remove the optional spaces in a name."""
    return re.sub(r"\s*([<>,:*&()])\s*", r"\1", " ".join(name.split()))


def _split_parameters(text: str) -> list[str]:
    """Split a parameter list at its commas, except those within brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "<([{") - (character in ">)]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [" ".join(part.split()) for part in parts if part.strip()]
