"""Comparison of two runs: improvements, regressions, and the new dominant bottleneck."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torchstone.core.i18n import Lang, text
from torchstone.doctor.refusal import Refusal
from torchstone.doctor.report import Report, diagnose
from torchstone.doctor.roofline.kept_peaks import KeptPeaks

# Reports are smaller; a larger file is read as a trace.
_MOST_BYTES = 64 << 20
_KEYS = {"verdict", "findings", "window", "accounting"}
# A smaller difference of step times is not significant.
_EQUAL = 0.02
_NOTHING = {"TS-H001", "TS-U001"}


def compare(
    before: Path, after: Path, lang: Lang, *, peaks: KeptPeaks | None = None
) -> dict[str, Any]:
    """Compare two runs, each given as a trace or a report.

    Args:
        before: File of the first run.
        after: File of the second run.
        lang: The language of messages.
        peaks: Peak performance of the processor, from a calibration.

    Returns:
        The steps of both, their ratio, each account in milliseconds of a step, and which findings
        went, came and stayed.

    Raises:
        Refusal: A file is neither a trace nor a report.
    """
    first, second = (_report(path, lang, peaks) for path in (before, after))
    steps = [float(each["window"]["step_ms"]) for each in (first, second)]
    codes = [[each["code"] for each in report["findings"]] for report in (first, second)]
    vanished = [code for code in codes[0] if code not in codes[1] and code not in _NOTHING]
    new = [code for code in codes[1] if code not in codes[0] and code not in _NOTHING]
    place = _place_taken(first, second, vanished)
    found = {
        "ok": True,
        "before": _side(before, first),
        "after": _side(after, second),
        "ratio": steps[0] / steps[1] if steps[1] else 1.0,
        "accounts": _accounts(first, second),
        "vanished": vanished,
        "new": new,
        "stayed": [code for code in codes[0] if code in codes[1] and code not in _NOTHING],
        "took_its_place": place,
    }
    return found | {"summary": _summary(found, lang)}


def _report(path: Path, lang: Lang, peaks: KeptPeaks | None) -> Report:
    found = _read_report(path)
    return diagnose([path], lang, peaks=peaks) if found is None else found


def _read_report(path: Path) -> Report | None:
    """Return the report in a file; None for other files, whose reader reports errors."""
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not found.keys() >= _KEYS:
        return None
    if not _is_report(found):
        raise Refusal("report_damaged", file=str(path))
    return found


def _is_report(found: Mapping[str, Any]) -> bool:
    """Return whether a report has all fields that are compared."""
    try:
        numbers = [found["window"]["step_ms"], *_shares(found).values()]
        codes = [found["verdict"], *(each["code"] for each in found["findings"])]
    except (AttributeError, KeyError, TypeError):
        return False
    is_counted = all(isinstance(each, int | float) and 0 <= each < 1e12 for each in numbers)
    return is_counted and all(isinstance(each, str) for each in codes)


def _shares(report: Mapping[str, Any]) -> dict[str, float]:
    shares = dict(report["accounting"])
    idle = shares.pop("idle")
    return shares | {f"idle.{name}": share for name, share in idle.items()}


def _side(path: Path, report: Report) -> dict[str, Any]:
    return {
        "file": str(path),
        "verdict": report["verdict"],
        "step_ms": report["window"]["step_ms"],
    }


def _accounts(first: Report, second: Report) -> dict[str, dict[str, float]]:
    """Return each share of the accounting in milliseconds per step."""
    steps = first["window"]["step_ms"], second["window"]["step_ms"]
    shares = _shares(first), _shares(second)
    found = {}
    for name in dict.fromkeys((*shares[0], *shares[1])):
        before, after = (
            share.get(name, 0.0) * step for share, step in zip(shares, steps, strict=True)
        )
        found[name] = {"before_ms": before, "after_ms": after, "difference_ms": after - before}
    return found


def _place_taken(first: Report, second: Report, vanished: list[str]) -> str | None:
    """Return the first finding now, if the previous first one is gone or ranks lower."""
    before, after = first["verdict"], second["verdict"]
    is_cured = before in vanished or (before != after and before not in _NOTHING)
    return after if is_cured and after not in _NOTHING else None


def _summary(found: Mapping[str, Any], lang: Lang) -> str:
    ratio, place = found["ratio"], found["took_its_place"]
    which = "equal" if abs(ratio - 1) < _EQUAL else "faster" if ratio > 1 else "slower"
    values = {
        "before": found["before"]["step_ms"],
        "after": found["after"]["step_ms"],
        "times": ratio if ratio >= 1 else 1 / ratio if ratio else 0.0,
    }
    sentences = [text(f"doctor.compare.{which}", lang, **values)]
    if found["vanished"]:
        codes = ", ".join(found["vanished"])
        sentences.append(text("doctor.compare.vanished", lang, codes=codes))
    if place is not None:
        title = text(f"doctor.rule.{place}.title", lang)
        sentences.append(text("doctor.compare.place", lang, code=place, title=title))
    return " ".join(sentences) if lang == "en" else "".join(sentences)
