"""Print the installed packages as pip constraints, with what each weighs on disk.

``make lock`` runs this inside a clean environment and writes ``requirements.lock``.
"""

import sys
from importlib import metadata

# pip itself comes with the environment; the project is what the lock is for.
UNPINNED = {"pip", "torchstone"}
MIB = 1024 * 1024


def pin(distribution: metadata.Distribution) -> str:
    """Write one distribution as a constraint, e.g. ``numpy==2.4.6  # 66 MiB``.

    A local version label (``2.13.0+cpu``) is dropped: which build of torch is right depends on
    the machine, and ``==2.13.0`` accepts every one.
    """
    version = distribution.version.partition("+")[0]
    size = sum(file.size or 0 for file in distribution.files or ())
    weight = f"  # {size // MIB} MiB" if size >= MIB else ""
    return f"{distribution.name.lower().replace('_', '-')}=={version}{weight}"


def main() -> int:
    """Print the lock."""
    print("# Exact versions of everything that `make setup` installs; written by `make lock`.")
    print("# The comment is the size on disk. torch has no hash: its build differs by machine.")
    pins = {pin(found) for found in metadata.distributions() if found.name not in UNPINNED}
    print("\n".join(sorted(pins)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
