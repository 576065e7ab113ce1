"""Print the packages that pip will install and their sizes: the lock without installed packages.

It handles both builds of torch: the one with CUDA and the one for the CPU. The sizes come from the
comments of the lock. The program imports only the standard library, because it runs before setup.

Usage: ``python -m tools.pending requirements.lock``
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

NAMED_FROM_MIB = 100
# Packages that only torch's build with CUDA requires.
CUDA_PREFIXES = ("cuda-", "nvidia-")
_PIN = re.compile(
    r"(?P<name>[\w.-]+)==(?P<version>[^\s;]+)\s*(?:;(?P<marker>[^#]+))?(?:#(?P<note>.*))?"
)
_SIZE = re.compile(r"(?P<local>\+\w+ )?(?P<wheel>\d+)/(?P<disk>\d+) MiB")


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Hold the sizes of one build of a package, in MiB."""

    wheel_mib: int = 0
    disk_mib: int = 0

    def __str__(self) -> str:
        return f"{self.wheel_mib} MiB to download, {self.disk_mib} MiB on disk"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """Hold one line of the lock."""

    name: str
    version: str
    size: Size = Size()
    # The sizes of the build for the CPU, if the package has two builds.
    cpu_size: Size | None = None
    marker: str = ""

    @property
    def is_cuda(self) -> bool:
        """Return whether only torch's build with CUDA requires this package."""
        return self.name.startswith(CUDA_PREFIXES)


def read_lock(lock: str) -> list[Pin]:
    """Return the pins of a lock without its comment lines and empty lines."""
    matches = (_PIN.fullmatch(line.strip()) for line in lock.splitlines())
    return [_read_pin(match) for match in matches if match]


def _read_pin(match: re.Match[str]) -> Pin:
    sizes = {
        found["local"] or "": Size(wheel_mib=int(found["wheel"]), disk_mib=int(found["disk"]))
        for found in _SIZE.finditer(match["note"] or "")
    }
    return Pin(
        name=match["name"],
        version=match["version"],
        size=sizes.get("", Size()),
        cpu_size=sizes.get("+cpu "),
        marker=(match["marker"] or "").strip(),
    )


def is_installed(pin: Pin) -> bool:
    """Return whether this version is installed, with any local label (``+cpu``)."""
    try:
        return metadata.version(pin.name).partition("+")[0] == pin.version
    except metadata.PackageNotFoundError:
        return False


def total(pins: Sequence[Pin], *, cuda: bool) -> Size:
    """Return the total size of the pins with one of the two builds of torch."""
    taken = [
        pin.size if cuda or pin.cpu_size is None else pin.cpu_size
        for pin in pins
        if cuda or not pin.is_cuda
    ]
    return Size(
        wheel_mib=sum(size.wheel_mib for size in taken),
        disk_mib=sum(size.disk_mib for size in taken),
    )


def offers_cpu_build(version: str, pip_args: Sequence[str]) -> bool | None:
    """Return whether pip finds the build for the CPU; ``None`` if pip does not report it."""
    command = [sys.executable, "-m", "pip", "index", "versions", *pip_args, "torch"]
    found = subprocess.run(command, capture_output=True, text=True)
    return f"{version}+cpu" in found.stdout if found.returncode == 0 else None


def takes_cpu_build(torch: Pin) -> bool | None:
    """Return whether pip will install the CPU build of torch; ``None`` if unknown."""
    if os.environ.get("TORCHSTONE_TORCH"):
        return True
    if is_installed(torch):
        return metadata.version("torch").endswith("+cpu")
    return offers_cpu_build(torch.version, shlex.split(os.environ.get("TORCHSTONE_PIP_ARGS", "")))


def describe(pins: Sequence[Pin], *, is_cpu: bool | None) -> str:
    """Return a text on the packages to install, with the size of the other build of torch."""
    taken = [pin for pin in pins if not (is_cpu and pin.is_cuda)]
    large = sorted(
        (pin for pin in taken if pin.size.disk_mib >= NAMED_FROM_MIB),
        key=lambda pin: -total([pin], cuda=not is_cpu).disk_mib,
    )
    named = ", ".join(
        f"{pin.name} {pin.version} ({total([pin], cuda=not is_cpu).disk_mib} MiB)" for pin in large
    )
    size = total(taken, cuda=not is_cpu)
    sentence = f"To install: {len(taken)} packages, {size}" + (
        f"; the large ones: {named}." * bool(named) or "."
    )
    return "\n".join([sentence, *_compare(pins, is_cpu=is_cpu)])


def _compare(pins: Sequence[Pin], *, is_cpu: bool | None) -> list[str]:
    """Return the lines about the two builds of torch; empty if torch is installed."""
    if not any(pin.name == "torch" for pin in pins):
        return []
    cuda, cpu = total(pins, cuda=True), total(pins, cuda=False)
    if is_cpu:
        return [f"torch is the build for the CPU. With PyPI's build for CUDA: {cuda}."]
    return [
        "torch is PyPI's build for CUDA."
        if is_cpu is False
        else "That is PyPI's torch for CUDA; pip did not say which build it finds.",
        f"With the build for the CPU: {cpu}. To choose it, set TORCHSTONE_TORCH to an index,",
        "a folder of wheels or a wheel file that has it.",
    ]


def holds_here(pin: Pin) -> bool:
    """Return whether the marker of a pin holds for this Python."""
    if not pin.marker:
        return True
    from pip._vendor.packaging.markers import Marker  # Markers are rare; pip has the parser.

    return bool(Marker(pin.marker).evaluate())


def main() -> int:
    """Print the packages to install."""
    pins = [pin for pin in read_lock(Path(sys.argv[1]).read_text("utf-8")) if holds_here(pin)]
    torch = next((pin for pin in pins if pin.name == "torch"), None)
    missing = [pin for pin in pins if not is_installed(pin)]
    is_cpu = takes_cpu_build(torch) if torch else None
    if all(is_cpu and pin.is_cuda for pin in missing):
        print("Nothing to download: every locked package is installed.")
    else:
        print(describe(missing, is_cpu=is_cpu))
    return 0


if __name__ == "__main__":
    sys.exit(main())
