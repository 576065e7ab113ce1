"""TeX formulas as MathML with TeX spacing.

latex2mathml parses the TeX and writes MathML 3. Browsers implement MathML Core, which has only the
fonts of Unicode and fewer attributes, and which sets the space around an operator by its position
in a row. So this module builds a new tree: it contains only listed elements and attributes of Core,
replaces old attributes, and spaces every row by TeX's rules (``spacing``). The style sheet does two
things that Core cannot: ``mrow.overline`` and ``mrow.underline`` are borders, ``mtd.start`` and
``mtd.end`` are alignments.

A formula with anything else is refused as a whole, because a formula without one of its symbols
would be another formula.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from xml.etree.ElementTree import Element, SubElement, tostring

from torchstone.web.spacing import SUMS, is_function, space_row

MAX_CHARACTERS = 2000
MAX_DEPTH = 32

ATTRIBUTES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "math": frozenset({"display"}),
        "merror": frozenset(),
        "mfrac": frozenset({"linethickness"}),
        "mi": frozenset({"mathvariant"}),
        "mn": frozenset(),
        "mo": frozenset(
            {"form", "lspace", "maxsize", "minsize", "movablelimits", "rspace", "stretchy"}
        ),
        "mover": frozenset({"accent"}),
        "mpadded": frozenset({"depth", "height", "lspace", "voffset", "width"}),
        "mphantom": frozenset(),
        "mroot": frozenset(),
        "mrow": frozenset({"class"}),
        "mspace": frozenset({"depth", "height", "width"}),
        "msqrt": frozenset(),
        "mstyle": frozenset({"displaystyle", "scriptlevel"}),
        "msub": frozenset(),
        "msubsup": frozenset(),
        "msup": frozenset(),
        "mtable": frozenset({"displaystyle"}),
        "mtd": frozenset({"class"}),
        "mtext": frozenset(),
        "mtr": frozenset(),
        "munder": frozenset(),
        "munderover": frozenset(),
    }
)
# Core does not have these, and a reader does not notice; any other loss would be visible.
_WITHOUT_EFFECT = {"accent", "columnspacing", "fence", "rowspacing", "separator", "xmlns"}
_ALIGNMENTS = {"left": "start", "right": "end", "center": ""}
_WIDTHS = {
    "thinmathspace": "0.167em",
    "thickmathspace": "0.278em",
    "negativethinmathspace": "-0.167em",
    "negativemediummathspace": "-0.222em",
    "negativethickmathspace": "-0.278em",
}
_VALUE = re.compile(
    r"true|false|prefix|infix|postfix|"
    r"[+-]?(?:\d{1,2}(?:\.\d{1,4})?|\.\d{1,4})(?:em|ex|px|pt)?"
)

_ENTITY = re.compile(r"&#x([0-9A-Fa-f]{1,6});")
# Definitions can double in size at every use; the others put their argument into attributes.
_CLOSED = re.compile(
    r"\\(?:(?:re|provide)?newcommand|newenvironment|DeclareMathOperator|def|unicode|href|class|style)"
    r"(?![A-Za-z])"
)
# A row may end with the distance to the next, ``\\[6pt]``. latex2mathml would show it as the first
# words of the next row. Core has no attribute for it, as for ``rowspacing``.
_ROW_END = re.compile(
    r"(?P<row>\\\\)\[ *[+-]?(?:\d+(?:\.\d*)?|\.\d+) *(?:bp|cc|cm|dd|em|ex|in|mm|mu|pc|pt|sp) *\]"
)
_TOKENS = {"mi", "mn", "mo", "mtext"}
# Elements that lay out their children in a row, like mrow.
_ROWS = {"math", "mphantom", "mpadded", "mrow", "msqrt", "mstyle", "mtd"}
_WITH_SCRIPTS = {"mover", "mroot", "msub", "msubsup", "msup", "munder", "munderover"}
_NUM_CHILDREN = {"mfrac": 2, "msubsup": 3, "munderover": 3} | dict.fromkeys(
    ("mover", "mroot", "msub", "msup", "munder"), 2
)
# TeX treats these as letters, latex2mathml as operators.
_ORDINARY = set("∂∇∞∅\N{DOWN TACK}⊥")
_NAMES_WITH_LIMITS = {
    "arg\u2009max",
    "arg\u2009min",
    "det",
    "gcd",
    "inf",
    "lim",
    "max",
    "min",
    "Pr",
    "sup",
}
_LIMITS = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}
_DELIMITERS = set("()[]{}|‖⟨⟩⌊⌋⌈⌉")
# The symbols of an accent and of its wide form: the ASCII ones are too large for a letter.
_ACCENTS = {
    "^": ("\N{MODIFIER LETTER CIRCUMFLEX ACCENT}", "\N{COMBINING CIRCUMFLEX ACCENT}"),
    "~": ("\N{SMALL TILDE}", "\N{COMBINING TILDE}"),
    **{mark: (mark, mark) for mark in "¯\N{ACUTE ACCENT}`˘ˇ˙¨˚"},
}
# latex2mathml draws lines with a dash, which fonts do not stretch. A border has the necessary
# length.
_LINE = "―"
_LINES = {"mover": "overline", "munder": "underline"}
_ALPHABETS = {
    "bold": "BOLD",
    "bold-italic": "BOLD ITALIC",
    "double-struck": "DOUBLE-STRUCK",
    "fraktur": "FRAKTUR",
    "italic": "ITALIC",
    "monospace": "MONOSPACE",
    "sans-serif": "SANS-SERIF",
    "sans-serif-italic": "SANS-SERIF ITALIC",
    "script": "SCRIPT",
}


class FormulaError(ValueError):
    """Raised when a formula cannot be shown correctly."""


def to_mathml(tex: str, *, display: bool = False) -> str:
    r"""Convert a formula to a ``<math>`` element.

    Args:
        tex: The formula without its dollars.
        display: Whether it is a displayed formula.

    Raises:
        FormulaError: The text is not TeX, or contains something that is forbidden or cannot be
            shown.

    >>> to_mathml(r"x^2")
    '<math><msup><mi>x</mi><mn>2</mn></msup></math>'
    """
    math = Element("math", {"display": "block"} if display else {})
    math.extend(_row(_read(tex, display=display), _Place()))
    return tostring(math, encoding="unicode")


def show_formula(tex: str, *, display: bool = False) -> str:
    """Convert a formula to a ``<math>`` element, or to one that shows it as an error."""
    try:
        return to_mathml(tex, display=display)
    except FormulaError:
        math = Element("math", {"display": "block"} if display else {})
        SubElement(SubElement(math, "merror"), "mtext").text = _printable(tex)
        return tostring(math, encoding="unicode")


def _read(tex: str, *, display: bool) -> Element:
    # The import reads a table of symbols, which takes a twentieth of a second.
    from latex2mathml.converter import convert_to_element

    if len(tex) > MAX_CHARACTERS:
        raise FormulaError(f"a formula has {len(tex)} characters; the limit is {MAX_CHARACTERS}.")
    if closed := _CLOSED.search(tex):
        raise FormulaError(f"{closed[0]} is not allowed in a formula.")
    try:
        rows = _ROW_END.sub(r"\g<row> ", tex)
        return convert_to_element(rows, display="block" if display else "inline")
    # The parser raises no error of its own for most faults: it runs out of tokens or of the stack,
    # or reads an attribute of None.
    except Exception as error:
        raise FormulaError(f"{tex!r} is not TeX: {type(error).__name__}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """The position of an element in a formula."""

    depth: int = 0
    is_script: bool = False

    def below(self, *, is_script: bool = False) -> "_Place":
        return _Place(depth=self.depth + 1, is_script=self.is_script or is_script)


def _clean(old: Element, place: _Place) -> Element:
    """Build a new element from the allowed parts."""
    if old.tag not in ATTRIBUTES or place.depth > MAX_DEPTH:
        raise FormulaError(f"{old.tag} is not allowed in a formula, or not at this depth.")
    if old.tag in _TOKENS:
        return _token(old)
    new = Element(old.tag, _attributes(old))
    if old.tag in _ROWS:
        new.extend(_row(old, place))
        return new[0] if old.tag == "mrow" and len(new) == 1 else new
    if (old.text or "").strip() or len(old) != _NUM_CHILDREN.get(old.tag, len(old)):
        raise FormulaError(f"{old.tag} has text or too few parts: {old.text!r}, {len(old)} parts.")
    # The scripts follow the base.
    are_scripts = old.tag in _WITH_SCRIPTS
    for index, child in enumerate(old):
        new.append(_clean(child, place.below(is_script=are_scripts and index > 0)))
    return _accented(_with_limits(new), old)


def _row(old: Iterable[Element], place: _Place) -> list[Element]:
    children = [_clean(child, place.below()) for child in _joined(old)]
    while len(children) == 1 and children[0].tag == "mrow" and not children[0].attrib:
        children = list(children[0])
    space_row(children, is_script=place.is_script)
    return children


def _joined(row: Iterable[Element]) -> list[Element]:
    r"""Join the letters of ``\mathrm{NaN}``, which are separate elements."""
    joined: list[Element] = []
    for child in row:
        if joined and _is_upright(child) and _is_upright(joined[-1]):
            joined[-1].text = f"{joined[-1].text}{child.text}"
        else:
            joined.append(child)
    return joined


def _is_upright(element: Element) -> bool:
    return element.tag == "mi" and element.get("mathvariant") == "normal"


def _token(old: Element) -> Element:
    if len(old):
        raise FormulaError(f"{old.tag} must not contain elements.")
    text, tag = _decode(old.text or ""), old.tag
    # A letter that is an entity was upright in TeX: \mathrm{d}.
    is_upright = _is_upright(old) or (text.isascii() and text.isalpha() and text != old.text)
    if tag == "mi" and old.get("mathvariant") is None:
        tag = _tag_of_letter(text)
    elif tag == "mo" and text in _ORDINARY:
        tag = "mi"
    new = Element(tag, _attributes(old) if tag == old.tag else {})
    new.text = _in_alphabet(text, old.get("mathvariant"))
    if tag == "mi" and len(text) == 1 and (text in _ORDINARY or is_upright):
        new.set("mathvariant", "normal")
    if tag == "mo":
        new.text = "\N{ASTERISK OPERATOR}" if text == "*" else text
        if text in _DELIMITERS and "stretchy" not in new.attrib:
            new.set("stretchy", "false")
    return new


def _tag_of_letter(text: str) -> str:
    """Distinguish a letter from a symbol or function that latex2mathml writes as a letter."""
    if is_function(text) and len(text) > 1:
        return "mo"
    is_sign = len(text) == 1 and unicodedata.category(text) in ("Sm", "Ps", "Pe")
    return "mo" if is_sign and text not in _ORDINARY else "mi"


def _attributes(old: Element) -> dict[str, str]:
    kept: dict[str, str] = {}
    for name, value in old.attrib.items():
        if name == "columnalign" and old.tag == "mtd":
            kept |= {"class": side} if (side := _ALIGNMENTS.get(value)) else {}
        elif name in ATTRIBUTES[old.tag] and old.tag != "mi":
            value = _WIDTHS.get(value, value)
            if not _VALUE.fullmatch(value):
                raise FormulaError(f"{name}={value!r} is not allowed in a formula.")
            kept[name] = value
        elif name not in _WITHOUT_EFFECT | {"mathvariant"}:
            raise FormulaError(f"{name} is not allowed on {old.tag}.")
    return kept


def _decode(text: str) -> str:
    # latex2mathml leaves unknown names unchanged, and writes its own symbols as entities.
    if "\\" in text:
        raise FormulaError(f"{text} is not known.")
    decoded = _ENTITY.sub(lambda entity: _character(int(entity[1], 16)), text)
    if decoded != _printable(decoded):
        raise FormulaError(f"{text!r} contains characters that cannot be shown.")
    return decoded


def _character(code: int) -> str:
    return chr(code) if code <= 0x10FFFF else "\x00"


def _printable(text: str) -> str:
    return "".join(" " if unicodedata.category(c) in ("Cc", "Cs", "Cn") else c for c in text)


def _in_alphabet(text: str, variant: str | None) -> str:
    r"""Write ``\mathbb`` and similar fonts with the characters of Unicode."""
    if variant in (None, "normal"):
        return text
    if variant not in _ALPHABETS:
        raise FormulaError(f"the alphabet {variant} is not known.")
    return "".join(_letter_of(character, _ALPHABETS[variant]) for character in text)


def _letter_of(character: str, alphabet: str) -> str:
    # LATIN CAPITAL LETTER R corresponds to MATHEMATICAL BOLD CAPITAL R. Some characters are older
    # and have other names: DOUBLE-STRUCK CAPITAL R.
    name = unicodedata.name(character, "")
    name = re.sub(r"^(?:LATIN|GREEK) (CAPITAL|SMALL) LETTER ", r"\1 ", name)
    old_name = "BLACK-LETTER" if alphabet == "FRAKTUR" else alphabet
    for full_name in (f"MATHEMATICAL {alphabet} {name}", f"{old_name} {name}"):
        try:
            return unicodedata.lookup(full_name)
        except KeyError:
            continue
    return character


def _with_limits(new: Element) -> Element:
    """Set limits below and above the operator in a displayed formula."""
    base = new[0] if new.tag in _LIMITS else None
    if base is None or base.tag != "mo":
        return new
    if base.text in _NAMES_WITH_LIMITS:
        # The browser knows it for symbols.
        base.set("movablelimits", "true")
    if base.text in SUMS or base.get("movablelimits") == "true":
        new.tag = _LIMITS[new.tag]
    return new


def _accented(new: Element, old: Element) -> Element:
    r"""Set an accent close to its base; stretch only wide accents."""
    if new.tag not in _LINES or len(new) != 2 or new[1].tag != "mo":
        return new
    base, mark = new
    if mark.text == _LINE:
        lined = Element("mrow", {"class": _LINES[new.tag]})
        lined.extend(base if base.tag == "mrow" and not base.attrib else [base])
        return lined
    if new.tag == "munder":
        return new
    text = mark.text or ""
    is_vector = text == "→" and mark.get("stretchy") == "true"
    if is_vector or text in _ACCENTS:
        is_wide = text in "^~" and old.get("accent") != "true" and "stretchy" not in mark.attrib
        new.set("accent", "true")
        mark.set("stretchy", "true" if is_wide else "false")
        mark.text = _ACCENTS.get(text, (text, text))[is_wide]
    return new
