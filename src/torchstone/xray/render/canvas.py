"""Pieces of an SVG: text, lines, boxes, and the colours of both themes."""

from __future__ import annotations

from xml.sax.saxutils import escape

ROW, LEFT = 22, 16
_STYLE = """
svg { font: 12px ui-monospace, monospace; color: #1b1d1a; background: #f4f4f0 }
text { fill: currentColor } .quiet { fill-opacity: .62 } .strong { font-weight: 700 }
.line { stroke: currentColor; fill: none } .thin { stroke-opacity: .25 }
.dashed { stroke-dasharray: 3 3 } .box { fill: currentColor; fill-opacity: .14 }
.more { fill-opacity: .3 } .dot { fill: #f4f4f0; stroke: currentColor }
.end { fill: currentColor } .wrong { fill: #a33 }
@media (prefers-color-scheme: dark) {
  svg { color: #e8e8e2; background: #161815 } .dot { fill: #161815 } .wrong { fill: #e88 }
}
"""


class Canvas:
    """Collect the elements of a picture; it grows with what is drawn."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._parts: list[str] = []
        self._wide = self._high = 0.0

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> None:
        """Draw some words."""
        ends = {"start": x + 7.3 * len(words), "middle": x + 3.7 * len(words), "end": x}
        self._grow(ends[anchor], y + 6)
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">'
            f"{escape(words)}</text>"
        )

    def line(self, points: list[tuple[float, float]], kind: str = "") -> None:
        """Draw a line through some points."""
        for x, y in points:
            self._grow(x, y)
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self._parts.append(f'<path class="line {kind}" d="M{path}"/>')

    def box(self, x: float, y: float, wide: float, high: float, kind: str = "") -> None:
        """Draw a filled box."""
        self._grow(x + wide, y + high)
        self._parts.append(
            f'<rect class="box {kind}" x="{x:.1f}" y="{y:.1f}" '
            f'width="{wide:.1f}" height="{high:.1f}"/>'
        )

    def dot(self, x: float, y: float, *, is_end: bool) -> None:
        """Draw a stop; a full one is the kernel itself."""
        kind = "end" if is_end else "dot"
        self._parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')

    def _grow(self, x: float, y: float) -> None:
        self._wide, self._high = max(self._wide, x), max(self._high, y)

    def svg(self) -> str:
        """Return the picture."""
        size = f"0 0 {self._wide + LEFT:.0f} {self._high + LEFT:.0f}"
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size}" role="img">',
                f"<title>{escape(self._title)}</title>",
                f"<style>{_STYLE}</style>",
                *self._parts,
                "</svg>",
                "",
            ]
        )
