"""Mutate the attacks on a problem's bans, and save each mutant that gets a banned result.

Usage: ``python tools/mutate_attacks.py [--seconds N] [--seed N] [--folder DIR] [--check]``
"""

import argparse
import sys
from pathlib import Path

from torchstone.bank.loader import CONTENT, load_problem
from torchstone.core import paths
from torchstone.judge.escapes.mutation import mutate

ROOT = Path(__file__).resolve().parent.parent
ATTACKS = ROOT / "tests/judge/attacks/submissions/bans"


def seeds() -> list[str]:
    """Return the attacks on problem 01 that define its function."""
    sources = [path.read_text(encoding="utf-8") for path in sorted(ATTACKS.glob("*.py"))]
    return [text for text in sources if "# problem:" not in text and "def softmax(" in text]


def main() -> int:
    """Search, save what is found, and return 1 if there is something."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=Path("escapes"))
    parser.add_argument("--check", action="store_true", help="run each attack once, as it is")
    parser.add_argument("--quick", action="store_true", help="a second: to see that it works")
    asked = parser.parse_args()
    if asked.quick:
        asked.seconds = 1.0
    programs = seeds()
    found = mutate(
        programs,
        "softmax",
        load_problem(CONTENT / "problems/01_softmax").spec.deny,
        paths.cache_dir(),
        seconds=asked.seconds,
        most=len(programs) if asked.check else 1_000_000,
        seed=asked.seed,
        options={"only": ["torch"]},
    )
    for number, source in enumerate(found.escapes):
        asked.folder.mkdir(parents=True, exist_ok=True)
        (asked.folder / f"escape_{asked.seed}_{number}.py").write_text(source, encoding="utf-8")
    sys.stdout.write(
        f"programs {found.programs}, refused {found.refused}, crashes {found.crashes}, "
        f"reached {len(found.reached)}, escapes {len(found.escapes)}\n"
    )
    return 1 if found.escapes else 0


if __name__ == "__main__":
    sys.exit(main())
