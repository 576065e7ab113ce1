"""MathML operator spacing after TeX's rules.

A browser sets the space around an operator from a dictionary, by the operator and its position:
first, last or between. This is not enough for three cases: ``= -x``, whose minus is between two
elements but belongs to one; the bars of ``|x|``, which open and close; and names of functions,
which the dictionary does not contain. This module sets attributes of ``<mo>`` for these cases.
"""

from collections.abc import Sequence
from xml.etree.ElementTree import Element

_THIN = "0.167em"
_SCRIPTED = {"mover", "msub", "msubsup", "msup", "munder", "munderover"}
_SIGNS = set("+−±∓")
_BARS = set("|‖")
_CLOSING = set(")]}⟩⌋⌉!…")
# TeX puts no space around these, the dictionary does.
_TIGHT = set("/.")
_DOTS = "…"
SUMS = frozenset("∑∏∐⋀\N{N-ARY LOGICAL OR}⋂\N{N-ARY UNION}⨀⨁⨂⨄⨆")
_LARGE = SUMS | set("∫∬∭∮")


def is_function(text: str) -> bool:
    """Return whether an operator is a name, such as ``log``."""
    return text[:1].isascii() and text[:1].isalpha()


def space_row(row: Sequence[Element], *, is_script: bool = False) -> None:
    """Set the space around the operators of a row, in place.

    Args:
        row: Elements in a row.
        is_script: Whether the row is a subscript or superscript; TeX then omits most spaces.
    """
    _open_and_close_bars(row)
    for index, element in enumerate(row):
        operator = _operator_of(element)
        if operator is None:
            continue
        before = row[index - 1] if index else None
        after = row[index + 1] if index + 1 < len(row) else None
        text = operator.text or ""
        if is_function(text) or text in _LARGE or text == _DOTS:
            operator.set("lspace", _THIN if _ends_operand(before) or _is_unary(before) else "0")
            operator.set("rspace", _THIN if _begins_operand(after) else "0")
        elif text in _TIGHT or is_script:
            operator.attrib.update(lspace="0", rspace="0")
        elif text in _SIGNS and not _ends_operand(_last_visible(row[:index])):
            operator.set("form", "prefix")
        elif "mtable" in (side.tag for side in (before, after) if side is not None):
            # The brackets of a matrix have its height.
            operator.attrib.pop("stretchy", None)


def _open_and_close_bars(row: Sequence[Element]) -> None:
    is_open = dict.fromkeys(_BARS, False)
    for element in row:
        operator = _operator_of(element)
        if operator is None or operator.text not in is_open or "form" in operator.attrib:
            continue
        is_open[operator.text] = not is_open[operator.text]
        operator.set("form", "prefix" if is_open[operator.text] else "postfix")


def _operator_of(element: Element) -> Element | None:
    """Return the operator of an element, with or without scripts."""
    while element.tag in _SCRIPTED and len(element):
        element = element[0]
    return element if element.tag == "mo" else None


def _last_visible(row: Sequence[Element]) -> Element | None:
    return next((element for element in reversed(row) if element.tag != "mspace"), None)


def _ends_operand(element: Element | None) -> bool:
    if element is None or element.tag == "mspace":
        return False
    operator = _operator_of(element)
    return operator is None or operator.text in _CLOSING or operator.get("form") == "postfix"


def _is_unary(element: Element | None) -> bool:
    return element is not None and element.text in _SIGNS and element.get("form") == "prefix"


def _begins_operand(element: Element | None) -> bool:
    if element is None or element.tag == "mspace":
        return False
    operator = _operator_of(element)
    if operator is None or is_function(operator.text or "") or operator.text in _LARGE:
        return True
    return operator.text in _BARS and operator.get("form") == "prefix"
