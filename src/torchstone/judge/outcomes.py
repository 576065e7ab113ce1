"""Outcomes of a submission whose process ended, and the text that it reported.

A submission can write to the same pipes as the judge's own code, so its text is capped and made
printable.
"""

from __future__ import annotations

import json
import string
from typing import Any
from unicodedata import category

from torchstone.bank.schema import Deny
from torchstone.core.i18n import both, catalogue
from torchstone.core.verdict import Verdict
from torchstone.judge.messages import Forbidden, Raised, Words, words_of
from torchstone.judge.order import Outcome, raise_fault_of_torch

LINE_CAP = 1 << 31
# Report of a ban that ended the process without its report arriving.
UNNAMED = Forbidden(operator="?", line=None, text="")


def ended_as(code: Verdict, entry: str, **values: object) -> Outcome:
    """Return an outcome with the message of a catalogue entry."""
    return Outcome(code=code, detail=both(f"judge.outcome.{entry}", **values))


def forbidden_outcome(report: Forbidden, deny: Deny) -> Outcome:
    """Return the outcome of a ban: one of this problem, or one that applies to every problem."""
    name = report.operator
    if name == UNNAMED.operator:
        key = "judge.outcome.forbidden_unnamed"
    elif _is_ban_of_problem(name, deny):
        key = "judge.outcome.forbidden"
    elif name.startswith("import ") and not _is_always_denied(name.removeprefix("import ")):
        key = "judge.outcome.forbidden_import"
    elif name.startswith("open "):  # some files are hidden only in problems with bans
        key = "judge.outcome.forbidden_file"
    else:
        key = "judge.outcome.forbidden_always"
    return Outcome(code=Verdict.FORBIDDEN_OP, detail=both(key, operator=name), forbidden=report)


def _is_ban_of_problem(name: str, deny: Deny) -> bool:
    # Full names of operators and functions begin with torch. Interpreter events, files and always
    # banned imports do not, and no problem lists such modules.
    if "::" in name or name.startswith("torch."):
        return True
    imported = name.removeprefix("import ")
    return any(imported == module or imported.startswith(f"{module}.") for module in deny.modules)


def _is_always_denied(module: str) -> bool:
    # In every problem: ctypes, and the folders of torch with operators in Python.
    return module.partition(".")[0] in ("ctypes", "_ctypes", "torch")


def forbidden_report(reported: bytes) -> Forbidden | None:
    """Parse the report that the bans wrote before they ended the process.

    A submission can write to the same pipe, so the text is capped and made printable.
    """
    lines = reported.decode(errors="replace").splitlines()
    if not lines:
        return None
    operator: object = UNNAMED.operator
    number: object = None
    for line in lines[:2]:
        try:
            entry = json.loads(line)
        # A hostile line may be nested too deeply for the parser.
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict):
            operator = entry.get("operator", operator)
            number = entry.get("line", number)
    return Forbidden(operator=printable(str(operator))[:120], line=_line(number), text="")


def printable(text: str) -> str:
    """Remove control characters and escape sequences from text of a submission."""
    # `isprintable` is false for other Unicode spaces, such as the ideographic space.
    return "".join(
        char for char in text if char.isprintable() or char in "\n\t" or category(char) == "Zs"
    )


def clean_error(error: object) -> Raised | None:
    """Return an exception record with capped and printable text."""
    if not isinstance(error, dict):
        return None
    return Raised(
        type=printable(str(error.get("type", "")))[:100],
        message=printable(str(error.get("message", "")))[:2000],
        line=_line(error.get("line")),
        text=printable(str(error.get("text", "")))[:200],
        file=printable(error["file"])[:200] if isinstance(error.get("file"), str) else None,
    )


def _line(number: object) -> int | None:
    """Return a line number if it is valid, because it is stored and read as JSON."""
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    return number if 0 < number < LINE_CAP else None


def load_outcome(record: Any) -> Outcome:
    """Return the outcome of a submission that did not load, from its process's report.

    Raises:
        JudgeFault: The submission cannot cause the exception.
    """
    record = record if isinstance(record, dict) else {}
    said = record.get("code")
    if said == Verdict.FORBIDDEN_OP:
        values = record.get("values") if isinstance(record.get("values"), dict) else {}
        name = printable(str(values.get("name")))[:120]
        forbidden = Forbidden(operator=name, line=None, text="")
        detail = both("judge.outcome.patched", operator=name)
        return Outcome(code=Verdict.FORBIDDEN_OP, detail=detail, forbidden=forbidden)
    code = next((each for each in (Verdict.CE, Verdict.RTE) if said == each), None)
    if code is None:
        return ended_as(Verdict.RTE, "invalid_answer")
    raw = record.get("error")
    raise_fault_of_torch(raw)
    error = clean_error(raw)
    if isinstance(raw, dict) and raw.get("memory") is True:
        code = Verdict.MLE
    key = record.get("key")
    if key == "load.missing_name":
        values = record.get("values") if isinstance(record.get("values"), dict) else {}
        name, defined = (printable(str(values.get(part, "")))[:300] for part in ("name", "defined"))
        entry = "missing_name" if defined else "missing_name_empty"
        detail = both(f"judge.outcome.{entry}", name=name, defined=defined)
        return Outcome(code=code, detail=detail, error=error)
    shown = error or Raised(type="?", message="")
    entry = "syntax" if key == "load.syntax" else "import"
    detail = both(
        f"judge.outcome.{entry}", type=shown.type, message=shown.message, line=shown.line or "?"
    )
    return Outcome(code=code, detail=detail, error=error)


def fault_words(fault: Any) -> Words | None:
    """Return the message of a fault that a submission's process reported, if it is valid."""
    if not isinstance(fault, dict) or not isinstance(fault.get("values"), dict):
        return None
    entry, values = f"judge.fault.{fault.get('key')}", fault["values"]
    sentence = catalogue("judge", "en").get(entry)
    if sentence is None:
        return None
    names = {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}
    if set(values) != names:
        return None
    said = both(entry, **{name: printable(str(item))[:300] for name, item in values.items()})
    return words_of(said)
