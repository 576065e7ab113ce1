"""SVG drawings in a light and a dark theme, deterministic for a given run."""

from __future__ import annotations

import html
from dataclasses import dataclass, field

# Colours of the page: cold for work, warm for waiting. Light theme, then dark.
_TONES = {
    "paper": ("#f4f4f0", "#15181b"),
    "ink": ("#1a1d20", "#e8e6e0"),
    "ink2": ("#454a4e", "#bcbbb5"),
    "rule": ("#83867f", "#666e75"),
    "hair": ("#d9d9d1", "#2a3036"),
    "sunk": ("#eaeae4", "#101316"),
    "cold2": ("#cedce9", "#213349"),
    "cold3": ("#b8cce1", "#2d4566"),
    "cold4": ("#a2bcd9", "#385882"),
    "hot2": ("#efd0cc", "#472421"),
    "hot3": ("#e8bbb6", "#64302a"),
    "hot4": ("#e2a69f", "#823b33"),
}
# Classes of moments.
_ACCOUNTS = {
    "cold4": ("compute",),
    "cold3": ("communication",),
    "cold2": ("copy_h2d", "copy_d2h", "copy_d2d"),
    "hot4": ("loader",),
    "hot3": ("sync", "alloc", "gc", "io"),
    "hot2": ("launch", "operator", "python"),
    "hair": ("unexplained", "other"),
    "sunk": ("mark",),
}
# Classes of events; a host call is not a wait.
_EVENTS = _ACCOUNTS | {
    "cold3": ("communication", "launch", "copy_h2d", "copy_d2h", "copy_d2d"),
    "cold2": ("operator",),
    "hot2": (),
    "hair": ("python", "unexplained", "other"),
}
_FONT = (
    "-apple-system, 'Segoe UI', 'PingFang SC', 'Microsoft YaHei UI', 'Noto Sans CJK SC', "
    "'Noto Sans', sans-serif"
)
_NARROW, _FULL = 6.4, 12.0


def style_sheet() -> str:
    """Return the style sheet of all drawings."""
    light = "".join(f"--{name}:{tones[0]};" for name, tones in _TONES.items())
    dark = "".join(f"--{name}:{tones[1]};" for name, tones in _TONES.items())
    rules = [
        f":root{{color-scheme:light dark;{light}}}",
        f"@media(prefers-color-scheme:dark){{:root{{{dark}}}}}",
        f"svg text{{font:12px {_FONT};fill:var(--ink2)}}",
        "svg .ink{fill:var(--ink)}.strong{font-weight:600}.line{stroke:var(--ink);fill:none}",
        ".hair{stroke:var(--hair);fill:none}.dash{stroke:var(--rule);stroke-dasharray:2 3}",
        ".end{text-anchor:end}.mid{text-anchor:middle}.paper{fill:var(--paper)}",
        ".spot{fill:var(--cold4);stroke:var(--rule)}.spot.of{fill:var(--ink)}",
    ]
    for prefix, tones in (("c", _ACCOUNTS), ("e", _EVENTS)):
        for tone, names in tones.items():
            rules += [f".{prefix}-{name}{{fill:var(--{tone})}}" for name in names]
    return "".join(rules)


def escape(words: str) -> str:
    """Escape text for SVG or HTML, without characters that XML does not allow."""
    return html.escape("".join(each for each in words if each >= " " and each.isprintable()))


def width_of(words: str) -> float:
    """Return the approximate width of text at 12 pixels."""
    return sum(_FULL if each > "\u2e80" else _NARROW for each in words)


def fitting(words: str, width: float, *, keeps_end: bool = False) -> str:
    """Truncate text to a width; empty if not even one letter fits."""
    if width_of(words) <= width:
        return words
    kept = words
    while kept and width_of(kept) > width - _NARROW:
        kept = kept[1:] if keeps_end else kept[:-1]
    if len(kept) < 3:
        return ""
    return f"…{kept}" if keeps_end else f"{kept}…"


@dataclass(slots=True)
class Drawing:
    """Drawing: a list of shapes.

    Attributes:
        width: Width in pixels.
        height: Height in pixels; it may grow while shapes are added.
        parts: Shapes in drawing order.
    """

    width: float
    height: float = 0.0
    parts: list[str] = field(default_factory=list)

    def rect(
        self, x: float, y: float, width: float, height: float, kind: str, *, title: str = ""
    ) -> None:
        """Add a rectangle, optionally with a title, shown as a tooltip."""
        told = f"<title>{escape(title)}</title>" if title else ""
        self.parts.append(
            f'<rect x="{_short(x)}" y="{_short(y)}" width="{_short(max(width, 0.5))}" '
            f'height="{_short(height)}" class="{kind}"' + (f">{told}</rect>" if told else "/>")
        )

    def words(self, x: float, y: float, words: str, kind: str = "") -> None:
        """Add left-aligned text."""
        if words:
            named = f' class="{kind}"' if kind else ""
            self.parts.append(
                f'<text x="{_short(x)}" y="{_short(y)}"{named}>{escape(words)}</text>'
            )

    def line(self, points: list[tuple[float, float]], kind: str) -> None:
        """Add a polyline."""
        path = "L".join(f"{_short(x)} {_short(y)}" for x, y in points)
        self.parts.append(f'<path d="M{path}" class="{kind}"/>')

    def spot(self, x: float, y: float, radius: float, kind: str, *, title: str) -> None:
        """Add a disc with a title."""
        self.parts.append(
            f'<circle cx="{_short(x)}" cy="{_short(y)}" r="{_short(radius)}" class="{kind}">'
            f"<title>{escape(title)}</title></circle>"
        )

    def place(self, other: Drawing, y: float) -> None:
        """Append another drawing below."""
        self.parts.append(f'<g transform="translate(0 {_short(y)})">{"".join(other.parts)}</g>')
        self.height = max(self.height, y + other.height)

    def svg(self, name: str, *, style: str = "") -> str:
        """Return the drawing as a named SVG element."""
        sheet = f"<style>{style}</style>" if style else ""
        size = f'width="{_short(self.width)}" height="{_short(self.height)}"'
        box = f'viewBox="0 0 {_short(self.width)} {_short(self.height)}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img" '
            f'aria-label="{escape(name)}">{sheet}{"".join(self.parts)}</svg>'
        )


def _short(value: float) -> str:
    """Return a number with at most two decimals, without trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
