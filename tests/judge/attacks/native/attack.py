"""Read the attacks on native code: one small submission a file, its honest verdicts on top.

A file that defines no ``add_forward`` gets the solution appended, so that an attack which comes
through its own text is accepted. AC is therefore never an honest outcome.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from torchstone.bank.loader import CONTENT

FOLDER = Path(__file__).parent
OUTCOMES = frozenset(
    """CE FORBIDDEN_OP HUNG INPUT_MUTATED MLE OLE OOB RACE RTE TLE UNINIT WA""".split()
)
_HEADER = re.compile(r"^// (verdict|trick|with): (.+)$", re.MULTILINE)
# What is too long, and too dull, to stand in a file: ``@REPEAT:3:ab@`` is ``ababab``.
_REPEAT = re.compile(r"@REPEAT:(\d+):(.*?)@")
_SOLUTION = CONTENT / "problems/42_cuda_add/solution.cu"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One attack.

    Attributes:
        name: The file, without its ending.
        outcomes: The verdicts that are honest.
        trick: What it tries, for the reader of a failure.
        source: Its text; ``@SECRET@`` stands for a file and ``@OUTSIDE@`` for a folder of the host.
    """

    name: str
    outcomes: frozenset[str]
    trick: str
    source: str


def read_attacks() -> list[Attack]:
    """Read every attack, sorted by name."""
    return [read_attack(path) for path in sorted(FOLDER.glob("*.cu"))]


def read_attack(path: Path) -> Attack:
    """Read one file and its header."""
    text = path.read_bytes().decode()
    entries = dict(_HEADER.findall(text))
    source = _REPEAT.sub(lambda found: found[2] * int(found[1]), text)
    if "with" in entries:
        source = (FOLDER / "parts" / entries["with"]).read_text(encoding="utf-8") + source
    if "add_forward(" not in text:
        source = f"{source}\n{_SOLUTION.read_text(encoding='utf-8')}"
    return Attack(
        name=path.stem,
        outcomes=frozenset(entries["verdict"].split(" | ")),
        trick=entries["trick"],
        source=source,
    )
