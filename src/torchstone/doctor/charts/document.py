"""Export of a diagnosis: one drawing, or a page with tables."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from torchstone.core.i18n import Lang, text
from torchstone.doctor.charts.bar import bar_of
from torchstone.doctor.charts.drawing import Drawing, escape, style_sheet, width_of
from torchstone.doctor.charts.flames import flames_of
from torchstone.doctor.charts.numbers import said_count, said_share, said_time, three
from torchstone.doctor.charts.roofs import roofs_of
from torchstone.doctor.charts.timeline import timeline_of
from torchstone.doctor.charts.view import View
from torchstone.doctor.refusal import Refusal

ENDINGS = (".svg", ".html")
_WIDTH, _MARGIN = 1200.0, 24.0
# With more steps the whole timeline is too dense to be read.
_MANY_STEPS = 40
_CODE = re.compile(r"`([^`]+)`")
_SHEET = (
    "body{margin:24px auto;max-width:1200px;padding:0 16px;background:var(--paper);"
    "color:var(--ink);font:15px/1.6 -apple-system,'Segoe UI','PingFang SC','Noto Sans CJK SC',"
    "sans-serif}h1{font-size:26px;line-height:1.35}h2{font-size:16px;margin-top:40px}"
    ".fig{overflow-x:auto}table{border-collapse:collapse;font-size:13px}"
    "th,td{text-align:left;white-space:nowrap;padding:4px 16px 4px 0;"
    "border-bottom:1px solid var(--hair)}"
    "code{background:var(--sunk);padding:1px 4px}"
)


def write_chart(path: Path, view: View, lang: Lang) -> None:
    """Write the diagnosis of a run as a drawing or a page, according to the file extension.

    Raises:
        Refusal: The extension is unknown, or the file cannot be written.
    """
    require_ending(path)
    draw = drawn if path.suffix.lower() == ".svg" else page
    try:
        path.write_text(draw(view, lang), encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise Refusal("chart_unwritable", file=str(path), reason=reason) from error


def require_ending(path: Path) -> None:
    """Check the extension of a chart file.

    Raises:
        Refusal: The extension is unknown.
    """
    if path.suffix.lower() not in ENDINGS:
        raise Refusal("chart_ending", file=str(path), endings=", ".join(ENDINGS))


def drawn(view: View, lang: Lang) -> str:
    """Return the diagnosis as one drawing."""
    report = view.report(lang)
    whole = Drawing(_WIDTH + 2 * _MARGIN)
    inner = Drawing(_WIDTH)
    y = 28.0
    for words, kind in ((report["summary"]["manager"], "ink strong"), (_facts(report, lang), "")):
        for line in _lines(words, _WIDTH):
            inner.words(0, y, line, kind)
            y += 20
    for line in _lines(report["summary"]["engineer"].replace("`", ""), _WIDTH):
        inner.words(0, y, line, "ink")
        y += 20
    for title, drawing in _figures(view, lang):
        inner.words(0, y + 32, title, "ink strong")
        inner.place(drawing, y + 48)
        y += 56 + drawing.height
    inner.height = y
    whole.parts.append(f'<g transform="translate({_MARGIN:.0f} 0)">{"".join(inner.parts)}</g>')
    whole.height = y + _MARGIN
    ground = f'<rect width="100%" height="{whole.height:.0f}" class="paper"/>'
    whole.parts.insert(0, ground)
    return whole.svg(report["summary"]["manager"], style=style_sheet()) + "\n"


def page(view: View, lang: Lang) -> str:
    """Return the diagnosis as a page: sentences, drawings, and their numbers as tables."""
    report = view.report(lang)
    parts = [
        f"<h1>{_marked(report['summary']['manager'])}</h1>",
        f"<p>{_marked(report['summary']['engineer'])}</p>",
        f"<p>{escape(_facts(report, lang))}</p>",
        *(f"<p>{_marked(note)}</p>" for note in report["quality"]["notes"]),
    ]
    figures = _figures(view, lang)
    tables = [_accounting_table(report, lang)] + [""] * (len(figures) - 1)
    if view.case.roofline.operators:
        tables[-1] = _operator_table(report, lang)
    for at, ((title, drawing), table) in enumerate(zip(figures, tables, strict=True)):
        parts += [
            f"<h2>{escape(title)}</h2>",
            f'<div class="fig">{drawing.svg(title)}</div>',
            table,
        ]
        if not at:
            parts.append(f"<h2>{escape(text('doctor.chart.findings', lang))}</h2>")
            parts += [_finding(each, lang) for each in report["findings"]]
    tag = "zh-CN" if lang == "zh" else "en"
    title = escape(report["summary"]["manager"])
    return (
        f'<!doctype html>\n<html lang="{tag}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{style_sheet()}{_SHEET}</style></head>"
        f"<body>{''.join(parts)}</body></html>\n"
    )


def _figures(view: View, lang: Lang) -> list[tuple[str, Drawing]]:
    """Return the figures with their titles, without empty ones."""
    window = view.case.window
    finding = 0 if view.findings[0].recoverable > 0 else None
    begin, end = window.begin, window.end
    if finding is not None and view.case.num_steps > _MANY_STEPS:
        begin, end = view.evidence[0].focus
    found = [
        ("accounting", bar_of(view.case.accounting.shares, _WIDTH, lang)),
        ("timeline", timeline_of(view, begin, end, _WIDTH, lang, finding=finding)),
    ]
    if view.threads:
        thread = 0 if finding is None else view.links()["evidence"][0]["thread"]
        found.append(("flame", flames_of(view.flame(thread, begin, end, finding), _WIDTH)))
    evidence = [] if finding is None else view.evidence[0].operators
    roofs = roofs_of(view.case.roofline, _WIDTH, evidence=evidence)
    if roofs is not None:
        found.append(("roofline", roofs))
    return [(text(f"doctor.chart.{name}", lang), drawing) for name, drawing in found]


def _facts(report: dict[str, Any], lang: Lang) -> str:
    window = report["window"]
    return text(
        "doctor.chart.facts",
        lang,
        files=", ".join(Path(each).name for each in report["source"]["files"]),
        device=report["source"]["device"] or "–",
        steps=window["steps"],
        step=said_time(window["step_ms"] * 1e3),
        whole=said_time(window["duration_us"]),
    )


def _finding(finding: dict[str, Any], lang: Lang) -> str:
    low, high = finding["predicted_step_ms"]
    after = text(
        "doctor.chart.after",
        lang,
        code=finding["code"],
        confidence=said_share(finding["confidence"]),
        low=said_time(low * 1e3),
        high=said_time(high * 1e3),
    )
    places = "".join(
        f"<li><code>{escape(each['file'])}:{each['line']}</code> {escape(each['function'])} "
        f"{said_share(each['share'])}</li>"
        for each in finding["places"]
    )
    return (
        f"<h3>{escape(finding['title'])}</h3><p>{_marked(finding['explanation'])}</p>"
        f"<p>{_marked(finding['prescription'])}</p><p>{escape(after)}</p><ul>{places}</ul>"
    )


def _accounting_table(report: dict[str, Any], lang: Lang) -> str:
    shares = {**report["accounting"], **report["accounting"]["idle"]}
    del shares["idle"]
    rows = [
        [text(f"doctor.chart.class.{name}", lang), said_share(share)]
        for name, share in shares.items()
    ]
    return _table(text("doctor.chart.head_accounting", lang), rows)


def _operator_table(report: dict[str, Any], lang: Lang) -> str:
    rows = [
        [
            each["name"],
            " ".join(str(shape) for shape in each["shape"]),
            each["dtype"],
            each["line"] or "–",
            said_time(each["time_us"]),
            said_count(each["flops"]),
            f"{said_count(each['bytes'])}B",
            three(each["intensity"]),
            "–" if each["efficiency"] is None else said_share(each["efficiency"]),
            text(f"doctor.chart.bound.{each['bound']}", lang),
        ]
        for each in report["roofline"]["ops"]
    ]
    return _table(text("doctor.chart.head_roofline", lang), rows)


def _table(head: str, rows: list[list[str]]) -> str:
    titles = "".join(f'<th scope="col">{escape(each)}</th>' for each in head.split("|"))
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f'<div class="fig"><table><tr>{titles}</tr>{body}</table></div>'


def _marked(sentence: str) -> str:
    """Return a sentence as HTML, with backticks as code."""
    return _CODE.sub(r"<code>\1</code>", escape(sentence))


def _lines(words: str, width: float) -> list[str]:
    """Break text into lines of a maximum width."""
    lines = [""]
    # Chinese has no spaces, and allows a break after each character.
    for each in re.findall(r"[\u2e80-\uffff]|[^\s\u2e80-\uffff]+\s*|\s+", words):
        if lines[-1] and width_of(lines[-1] + each) > width:
            lines.append("")
        lines[-1] += each
    return [line.strip() for line in lines]
