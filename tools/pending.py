"""Print what pip will install, with sizes: the lock minus what is installed.

Usage: ``python tools/pending.py requirements.lock``
"""

import re
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

# A wheel is a zip file; measured over this lock, it has about a third of the size on disk.
DOWNLOAD_SHARE = 1 / 3
NAMED_FROM_MIB = 20
_PIN = re.compile(r"(?P<name>[\w.-]+)==(?P<version>\S+)(?:\s+# (?P<mib>\d+) MiB)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """One line of the lock."""

    name: str
    version: str
    mib: int


def read_lock(lock: str) -> list[Pin]:
    """Read the pins of a lock; comment lines and empty lines are passed over."""
    matches = (_PIN.fullmatch(line.strip()) for line in lock.splitlines())
    return [
        Pin(name=match["name"], version=match["version"], mib=int(match["mib"] or 0))
        for match in matches
        if match
    ]


def is_installed(pin: Pin) -> bool:
    """Return whether this very version is installed, whatever its local label (``+cpu``)."""
    try:
        return metadata.version(pin.name).partition("+")[0] == pin.version
    except metadata.PackageNotFoundError:
        return False


def describe(pins: list[Pin]) -> str:
    """Return one paragraph about what will be installed."""
    total = sum(pin.mib for pin in pins)
    heavy = sorted((pin for pin in pins if pin.mib >= NAMED_FROM_MIB), key=lambda pin: -pin.mib)
    named = ", ".join(f"{pin.name} {pin.version} ({pin.mib} MiB)" for pin in heavy)
    sentence = (
        f"To install: {len(pins)} packages, about {total * DOWNLOAD_SHARE:.0f} MiB to download, "
        f"{total} MiB on disk" + (f"; the large ones: {named}." if named else ".")
    )
    if any(pin.name == "torch" for pin in pins):
        sentence += (
            "\nThat is the CPU build of torch. Where pip finds only the CUDA build it is several "
            "GiB; point pip at an index of CPU builds with TORCHSTONE_PIP_ARGS."
        )
    return sentence


def main() -> int:
    """Print the paragraph."""
    lock = Path(sys.argv[1]).read_text(encoding="utf-8")
    pins = [pin for pin in read_lock(lock) if not is_installed(pin)]
    print(describe(pins) if pins else "Nothing to download: every locked package is installed.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
