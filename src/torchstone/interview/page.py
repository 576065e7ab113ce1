"""Report as one HTML file: self-contained, with both themes, and suitable for printing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, Protocol

from torchstone.core.i18n import Lang, text
from torchstone.interview.ability import DIMENSIONS, WEIGHTS

_LOW, _HIGH = 0.0, 100.0
_LEFT, _RIGHT, _ROW = 150.0, 660.0, 44.0
_CODE = re.compile(r"`([^`]+)`")
_THRESHOLDS = ((45.0, "borderline"), (60.0, "hire"), (75.0, "strong_hire"))
_SHEET = (
    ":root{color-scheme:light dark;--paper:light-dark(#f4f4f0,#15181b);"
    "--ink:light-dark(#1a1d20,#e8e6e0);--ink2:light-dark(#454a4e,#bcbbb5);"
    "--ink3:light-dark(#62676b,#90969a);--rule:light-dark(#83867f,#666e75);"
    "--hair:light-dark(#d9d9d1,#2a3036);--wrong:light-dark(#b0261c,#f27d6f)}"
    "body{margin:32px auto;max-width:760px;padding:0 16px;background:var(--paper);"
    "color:var(--ink);font:16px/1.625 -apple-system,'Segoe UI','PingFang SC',"
    "'Noto Sans CJK SC',sans-serif}h1{font-size:26px;line-height:1.3;margin:0 0 8px}"
    "h2{font-size:16px;margin:40px 0 8px}.dim{color:var(--ink3);font-size:13px}"
    ".big{font-size:56px;line-height:1.1;font-variant-numeric:tabular-nums}"
    ".fig{overflow-x:auto}svg text{fill:var(--ink);font-size:13px}"
    "table{border-collapse:collapse;width:100%;font-size:14px}"
    "th,td{text-align:left;vertical-align:top;padding:4px 12px 4px 0;"
    "border-bottom:1px solid var(--hair)}td.n,th.n{text-align:right;"
    "font-variant-numeric:tabular-nums}q{color:var(--ink2)}.wrong{color:var(--wrong)}"
    ".k{white-space:nowrap}code{font-size:13px;overflow-wrap:anywhere}"
    "@media print{body{margin:0;max-width:none}h2{break-after:avoid}tr{break-inside:avoid}}"
)


class Say(Protocol):
    """Function that returns a sentence of the page, escaped for HTML."""

    def __call__(self, key: str, **values: object) -> str:
        """Return the sentence."""


def draw_page(report: Mapping[str, Any], lang: Lang) -> str:
    """Render the report as HTML."""

    def say(key: str, **values: object) -> str:
        return _sentence(text(f"interview.page.{key}", lang, **values))

    total = report["total"]
    parts = [
        _kicker(report, say),
        f"<h1>{_headline(report, say)}</h1>",
        f'<p class="big">{total["score"]} <span class="dim">± {total["se"]}</span></p>',
        *_why(report, say),
        f"<h2>{say('scale')}</h2>",
        f'<div class="fig">{_figure(report, say)}</div>',
        f'<p class="dim">{say("caption")}</p>',
        _scores_table(report, say),
        f"<h2>{say('timeline')}</h2>",
        f'<div class="fig">{_timeline(report, say)}</div>',
        f"<h2>{say('levels')}</h2>",
        _levels_table(report, say),
        f"<h2>{say('next')}</h2>",
        _advice(report, say, lang),
        f"<h2>{say('items')}</h2>",
        _items_table(report, say, lang),
        f"<h2>{say('evidence')}</h2>",
        _evidence_table(report, say, lang),
        f"<h2>{say('stated')}</h2>",
        _stated(report, say),
    ]
    title = escape(f"{text('interview.page.kind', lang)} {report['id']}")
    return (
        f'<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_SHEET}</style></head><body><main>\n"
        + "\n".join(parts)
        + "\n</main></body></html>\n"
    )


def _kicker(report: Mapping[str, Any], say: Say) -> str:
    words = [
        say("kind"),
        escape(report["level"]),
        say("minutes", minutes=report["minutes"]),
        say(f"form_{report['form']}"),
    ]
    return f'<p class="dim">{" · ".join(words)}</p>'


def _headline(report: Mapping[str, Any], say: Say) -> str:
    verdict = report["verdict"]
    low, high = say(f"band_{verdict['band_low']}"), say(f"band_{verdict['band_high']}")
    if report["is_indication"]:
        return say("indication", low=low, high=high)
    if not verdict["enough"]:
        where = say(f"dimension_{verdict['missing_in']}") if verdict["missing_in"] else "-"
        return say("not_enough", minutes=verdict["missing_minutes"], where=where)
    if verdict["word"] is None:
        return say("between", low=low, high=high)
    return say("verdict", word=say(f"band_{verdict['word']}"), level=report["level"])


def _why(report: Mapping[str, Any], say: Say) -> Iterable[str]:
    if report["verdict"]["capped_by"] is not None:
        yield f"<p>{say('capped')}</p>"
    if any(item["is_unsure"] for item in report["items"]):
        yield f"<p>{say('unsure')}</p>"


def _figure(report: Mapping[str, Any], say: Say) -> str:
    rows = [(say(f"dimension_{name}"), report["dimensions"][name]) for name in DIMENSIONS]
    rows.append((say("total"), report["total"]))
    height = _ROW * len(rows) + 64
    drawn = [
        f'<svg viewBox="0 0 760 {height:g}" width="760" height="{height:g}" role="img" '
        f'aria-label="{say("scale")}">'
    ]
    for bound, band in _THRESHOLDS:
        x = _at(bound)
        drawn.append(
            f'<path d="M{x:g} 28V{height - 36:g}" stroke="var(--rule)" stroke-dasharray="3 3"/>'
            f'<text x="{x + 4:g}" y="22">{say(f"band_{band}")}</text>'
        )
    for number, (name, found) in enumerate(rows):
        drawn.append(_bar(name, found, 56 + _ROW * number))
    for tick in range(0, 101, 20):
        x = _at(tick)
        drawn.append(f'<text x="{x:g}" y="{height - 12:g}" text-anchor="middle">{tick}</text>')
    return "".join(drawn) + "</svg>"


def _timeline(report: Mapping[str, Any], say: Say) -> str:
    """Draw the total after each answer, with an error bar of one standard error."""
    points = report["timeline"]
    if not points:
        return ""
    last = max(each["minute"] for each in points) or 1.0

    def at(each: Mapping[str, Any], shift: float) -> str:
        x = 32 + 700 * each["minute"] / last
        y = 16 + 1.6 * (_HIGH - min(max(each["total"] + shift * each["se"], _LOW), _HIGH))
        return f"{x:.1f} {y:.1f}"

    above = [at(each, 1) for each in points]
    below = [at(each, -1) for each in reversed(points)]
    middle = "L".join(at(each, 0) for each in points)
    grid = "".join(
        f'<path d="M32 {16 + 1.6 * (_HIGH - bound):g}H732" stroke="var(--hair)"/>'
        f'<text x="0" y="{20 + 1.6 * (_HIGH - bound):g}">{bound:g}</text>'
        for bound, _ in _THRESHOLDS
    )
    return (
        f'<svg viewBox="0 0 760 208" width="760" height="208" role="img" '
        f'aria-label="{say("timeline")}">{grid}'
        f'<path d="M{"L".join(above + below)}Z" fill="var(--hair)"/>'
        f'<path d="M{middle}" fill="none" stroke="var(--ink)" stroke-width="2"/>'
        f'<text x="32" y="200">0</text><text x="732" y="200" text-anchor="end">'
        f"{say('minutes', minutes=f'{last:g}')}</text></svg>"
    )


def _bar(name: str, found: Mapping[str, float], y: float) -> str:
    score, error = found["score"], found["se"]
    one, two = ((_at(score - k * error), _at(score + k * error)) for k in (1, 2))
    return (
        f'<text x="0" y="{y + 5:g}">{name}</text>'
        f'<path d="M{two[0]:.1f} {y:g}H{two[1]:.1f}" stroke="var(--ink3)"/>'
        f'<path d="M{one[0]:.1f} {y:g}H{one[1]:.1f}" stroke="var(--ink)" stroke-width="3"/>'
        f'<circle cx="{_at(score):.1f}" cy="{y:g}" r="5" fill="var(--ink)"/>'
        f'<text x="760" y="{y + 5:g}" text-anchor="end">{score:g} ± {error:g}</text>'
    )


def _at(points: float) -> float:
    share = (min(max(points, _LOW), _HIGH) - _LOW) / (_HIGH - _LOW)
    return _LEFT + share * (_RIGHT - _LEFT)


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{each}</th>" for each in heads)
    body = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _scores_table(report: Mapping[str, Any], say: Say) -> str:
    rows = [
        (
            say(f"dimension_{name}"),
            f"{100 * weight:.0f} %",
            f"{report['dimensions'][name]['score']:g}",
            f"± {report['dimensions'][name]['se']:g}",
        )
        for name, weight in zip(DIMENSIONS, WEIGHTS, strict=True)
    ]
    total = report["total"]
    rows.append((say("total"), "", f"{total['score']:g}", f"± {total['se']:g}"))
    return _table((say("dimension"), say("weight"), say("score"), say("error")), rows)


def _levels_table(report: Mapping[str, Any], say: Say) -> str:
    rows = [(escape(name), f"{chance:.2f}") for name, chance in report["levels"].items()]
    return _table((say("level"), say("chance")), rows)


def _advice(report: Mapping[str, Any], say: Say, lang: Lang) -> str:
    rows = [
        (
            f"<code>{escape(step['review'])}</code>",
            _sentence(step["words"][lang]),
            say(f"why_{step['why']}"),
            f"+{step['gain']:g}",
        )
        for step in report["advice"]
    ]
    return _table((say("review"), say("what"), say("why"), say("gain")), rows)


def _items_table(report: Mapping[str, Any], say: Say, lang: Lang) -> str:
    rows = []
    for item in report["items"]:
        quote = f"<br><q>{escape(item['quote'])}</q>" if item["quote"] else ""
        rows.append(
            (
                _sentence(item["asked"][lang]) + quote,
                f"{item['used_s'] / 60:.1f}",
                _share(item["machine_score"]),
                _share(item["human_score"]),
                escape(item["verdict"] or say(f"by_{item['by']}")),
            )
        )
    return _table((say("item"), say("used"), say("machine"), say("person"), say("by")), rows)


def _sentence(words: str) -> str:
    return _CODE.sub(r"<code>\1</code>", escape(words))


def _share(score: float | None) -> str:
    return "–" if score is None else f"{score:.2f}"


def _evidence_table(report: Mapping[str, Any], say: Say, lang: Lang) -> str:
    rows = []
    for each in report["evidence"]:
        mark = "wrong" if each["what"] == "wrong" else ""
        quote = f"<q>{escape(each['quote'])}</q>" if each["quote"] else ""
        dimension = say(f"dimension_{each['dimension']}")
        rows.append(
            (
                f'<span class="k {mark}">{say(each["what"])}</span>',
                _sentence(each["words"][lang]),
                quote,
                f'<span class="k">{dimension}</span>',
            )
        )
    return _table((say("found"), say("point"), say("quote"), say("dimension")), rows)


def _stated(report: Mapping[str, Any], say: Say) -> str:
    rows = [
        (say("seed"), escape(str(report["seed"]))),
        (say("plan"), f"<code>{escape(report['plan_hash'])}</code>"),
        (say("bank"), f"<code>{escape(report['bank_hash'])}</code>"),
        (say("factor"), f"{report['accommodations']['factor']:g}"),
        (say("interruptions"), str(len(report["interruptions"]))),
        (say("hash"), f"<code>{escape(report['hash'])}</code>"),
    ]
    return _table((say("what"), ""), rows) + f"<p>{say('proves')}</p>"
