"""Manual: a page for each rule, from its docstring, thresholds and messages."""

from __future__ import annotations

import difflib
from typing import Any

from torchstone.core.i18n import Lang, catalogue, text
from torchstone.doctor.case import all_thresholds
from torchstone.doctor.refusal import Refusal

_RULE = "doctor.rule."


def codes() -> list[str]:
    """Return the codes of all rules."""
    keys = catalogue("doctor", "en")
    return sorted({key.split(".")[2] for key in keys if key.startswith(_RULE)})


def pages(code: str | None, lang: Lang) -> list[dict[str, Any]]:
    """Return the page of a rule, or of all.

    Raises:
        Refusal: There is no such rule.
    """
    if code is None:
        return [_page(each, lang) for each in codes()]
    wanted = code.upper() if code.upper().startswith("TS-") else f"TS-{code.upper()}"
    if wanted not in codes():
        (near,) = difflib.get_close_matches(wanted, codes(), n=1, cutoff=0.0)
        raise Refusal("rule_unknown", came=code, near=near)
    return [_page(wanted, lang)]


def _page(code: str, lang: Lang) -> dict[str, Any]:
    said = {
        part: text(f"{_RULE}{code}.{part}", lang) for part in ("title", "about", "prescription")
    }
    return {"code": code, **said, "thresholds": all_thresholds().get(code.removeprefix("TS-"), {})}
