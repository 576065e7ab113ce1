"""SVG sanitizer: clean the figures of a problem for embedding in the page.

In a page, an SVG is part of the document: its scripts would run, and its styles and ids would apply
to the page. So this module builds a new element from a list of allowed elements and attributes. It
counts everything that it leaves out, and reports the count to the author. The figures of the
package lose nothing.

A reference stays inside the figure, and its target must not contain a reference. Otherwise ten
lines of nested ``<use>`` would draw a billion shapes.
"""

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from xml.etree.ElementTree import Element, ParseError, fromstring, tostring

MAX_CHARACTERS = 65_536
MAX_ELEMENTS = 1000
MAX_DEPTH = 16

_SVG = "{http://www.w3.org/2000/svg}"
_XLINK_HREF = "{http://www.w3.org/1999/xlink}href"

_LOOK = frozenset(
    "clip-path clip-rule color dominant-baseline fill fill-opacity fill-rule font-family font-size "
    "font-style font-weight letter-spacing marker-end marker-mid marker-start opacity stop-color "
    "stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin "
    "stroke-miterlimit stroke-opacity stroke-width text-anchor vector-effect visibility".split()
)
_EVERYWHERE = _LOOK | {"id", "transform"}


def _with(names: str = "") -> frozenset[str]:
    return _EVERYWHERE | frozenset(names.split())


ATTRIBUTES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "circle": _with("cx cy r"),
        "clipPath": _with("clipPathUnits"),
        "defs": _with(),
        "desc": frozenset({"id"}),
        "ellipse": _with("cx cy rx ry"),
        "g": _with(),
        "line": _with("x1 x2 y1 y2"),
        "linearGradient": _with("gradientTransform gradientUnits spreadMethod x1 x2 y1 y2"),
        "marker": _with(
            "markerHeight markerUnits markerWidth orient preserveAspectRatio refX refY viewBox"
        ),
        "path": _with("d pathLength"),
        "pattern": _with("height patternTransform patternUnits viewBox width x y"),
        "polygon": _with("points"),
        "polyline": _with("points"),
        "radialGradient": _with("cx cy fx fy gradientTransform gradientUnits r spreadMethod"),
        "rect": _with("height rx ry width x y"),
        "stop": _with("offset"),
        "svg": _with(
            "aria-describedby aria-label aria-labelledby height preserveAspectRatio role viewBox "
            "width"
        ),
        "text": _with("dx dy rotate textLength x y"),
        "title": frozenset({"id"}),
        "tspan": _with("dx dy rotate x y"),
        "use": _with("height href width x y"),
    }
)
_WITH_TEXT = {"desc", "text", "title", "tspan"}
_OF_IDS = {"aria-describedby", "aria-labelledby"}
_NAMES = {"aria-label", "aria-labelledby"}
_TRANSFORMS = {"gradientTransform", "patternTransform", "transform"}

# An entity can expand to a million others, and needs a declaration.
_DECLARATION = re.compile(r"<!(?!--|\[CDATA\[)")
_ID = re.compile(r"[A-Za-z_][\w.-]{0,63}", re.ASCII)
_REFERENCE = re.compile(r"url\(#([^()\s]+)\)")
# Numbers, lengths, colours, words and paths: no quote, colon or bracket, so neither a URL nor CSS.
_PLAIN = re.compile(r"[\w\s.,#%+-]*", re.ASCII)
_TRANSFORM = re.compile(
    r"(?:\s*(?:matrix|rotate|scale|skewX|skewY|translate)\([\d\s.,eE+-]*\)[\s,]*)*", re.ASCII
)


class FigureError(ValueError):
    """Raised when a figure cannot be shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure that is safe in a page.

    Args:
        svg: Its ``<svg>`` element.
        dropped: The removed parts, as ``element`` or ``element@attribute``; empty for a valid file.
    """

    svg: str
    dropped: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ids:
    """The ids of a figure: their prefix on the page, and the allowed targets of references."""

    prefix: str
    known: Set[str]
    targets: Set[str]
    dropped: list[str] = field(default_factory=list)


def read_figures(folder: Path) -> dict[str, str]:
    """Read the figures of a problem's folder, by file name; a too large file is left out."""
    found = {}
    for path in sorted(folder.glob("figure_*.svg")):
        # A character has at most four bytes: a longer file would be refused, so it is not read.
        if path.is_file() and path.stat().st_size <= 4 * MAX_CHARACTERS:
            found[path.name] = path.read_text(encoding="utf-8", errors="replace")
    return found


def clean_figure(source: str, *, prefix: str, label: str = "") -> Figure:
    """Build a safe figure from an SVG file.

    Args:
        source: The text of the SVG file.
        prefix: The prefix of its ids, which makes them unique on the page.
        label: The label of a figure without title and label.

    Raises:
        FigureError: The text is not SVG, has a declaration, or is too large.
    """
    root = _parse(source)
    elements = list(root.iter())
    ids = _Ids(
        prefix=prefix,
        known=frozenset(_ids_of(elements)),
        targets=frozenset(_ids_of(e for e in elements if not any(map(_refers, e.iter())))),
    )
    svg = _rebuild(root, ids)
    svg.set("role", "img")
    is_named = svg.find("title") is not None or not _NAMES.isdisjoint(svg.keys())
    if label and not is_named:
        svg.set("aria-label", label)
    return Figure(svg=tostring(svg, encoding="unicode"), dropped=tuple(ids.dropped))


def _parse(source: str) -> Element:
    if len(source) > MAX_CHARACTERS:
        raise FigureError(f"a figure has {len(source)} characters; the limit is {MAX_CHARACTERS}.")
    if _DECLARATION.search(source):
        raise FigureError("a figure must not declare a document type or entities.")
    try:
        root = fromstring(source)
    # The parser raises ValueError for characters that no file can contain.
    except (ParseError, ValueError) as error:
        raise FigureError(f"a figure is not XML: {error}") from error
    if root.tag != f"{_SVG}svg":
        raise FigureError(f"a figure must be an svg element; got {root.tag}.")
    level, depth, num_elements = [root], 0, 0
    while level:
        depth, num_elements = depth + 1, num_elements + len(level)
        level = [child for element in level for child in element]
    if depth > MAX_DEPTH or num_elements > MAX_ELEMENTS:
        raise FigureError(
            f"a figure has {num_elements} elements with depth {depth}; "
            f"the limits are {MAX_ELEMENTS} and {MAX_DEPTH}."
        )
    return root


def _ids_of(elements: Iterator[Element] | list[Element]) -> Iterator[str]:
    return (name for e in elements if _ID.fullmatch(name := e.get("id", "")))


def _refers(element: Element) -> bool:
    return any(
        name in ("href", _XLINK_HREF) or "url" in value.lower() for name, value in element.items()
    )


def _rebuild(old: Element, ids: _Ids) -> Element:
    tag = old.tag.removeprefix(_SVG)
    new = Element(tag)
    for name, value in old.items():
        name = "href" if name == _XLINK_HREF else name
        kept = _value(name, value, ids) if name in ATTRIBUTES[tag] else None
        if kept is None:
            ids.dropped.append(f"{tag}@{name}")
        else:
            new.set(name, kept)
    new.text = _text(old.text, tag, ids)
    for child in old:
        name = child.tag.removeprefix(_SVG)
        is_misplaced = name == "svg" or tag in ("desc", "title")
        if not child.tag.startswith(_SVG) or name not in ATTRIBUTES or is_misplaced:
            ids.dropped.append(name)
        else:
            new.append(_rebuild(child, ids))
        if tail := _text(child.tail, tag, ids):
            _add_text(new, tail)
    return new


def _text(text: str | None, tag: str, ids: _Ids) -> str | None:
    if tag in _WITH_TEXT or not (text or "").strip():
        return text if tag in _WITH_TEXT else None
    ids.dropped.append(f"{tag}#text")
    return None


def _add_text(parent: Element, text: str) -> None:
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text


def _value(name: str, value: str, ids: _Ids) -> str | None:
    """Return the safe value of an attribute; None if it has none."""
    if name == "aria-label":
        return value
    if name == "id":
        return f"{ids.prefix}{value}" if value in ids.known else None
    if name in _OF_IDS:
        words = value.split()
        return " ".join(f"{ids.prefix}{word}" for word in words) if ids.known >= {*words} else None
    if name == "href":
        target = value.strip().removeprefix("#")
        is_local = value.strip().startswith("#") and target in ids.targets
        return f"#{ids.prefix}{target}" if is_local else None
    if reference := _REFERENCE.fullmatch(value.strip()):
        return f"url(#{ids.prefix}{reference[1]})" if reference[1] in ids.targets else None
    pattern = _TRANSFORM if name in _TRANSFORMS else _PLAIN
    return value if pattern.fullmatch(value) else None
