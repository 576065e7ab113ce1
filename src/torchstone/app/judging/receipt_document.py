"""Receipt documents: the JSON text of a receipt with its program, and its validation."""

from __future__ import annotations

import json
import re
from typing import Final

import msgspec

from torchstone.app.judging.submission import JsonObject
from torchstone.core.errors import BadInput
from torchstone.core.i18n import Lang, text
from torchstone.judge.receipt import RecordedReceipt
from torchstone.store.document import is_deeper

# A program has at most 256 KiB, and a receipt of several hundred cases less than 100 KiB. The
# server accepts no longer body (web/guard.py).
MAX_MIB: Final = 2
MAX_BYTES: Final = MAX_MIB << 20
# The judge draws 62 random bits.
_MAX_SEED: Final = 1 << 63
_NUM_SHOWN = 40
# Far more than a receipt has.
_MOST_LEVELS = 32
_PLACE = re.compile(r" - at `\$\.?(?P<place>[^`]*)`$")
_KIND = re.compile(r"Expected `(?P<expected>[^`]+)`, got `(?P<came>[^`]+)`")
_MISSING = re.compile(r"Object missing required field `(?P<name>[^`]+)`")
_VALUE = re.compile(r"Invalid enum value '?(?P<came>.*?)'?$", re.DOTALL)


class BadReceipt(BadInput):
    """Raised for an invalid receipt: the field, the value found and the value expected."""

    def message(self, lang: Lang) -> str:
        """Return the sentence, with the kinds of JSON values in the reader's language."""
        kinds: dict[str, object] = {
            key: " | ".join(_say_kind(kind, lang) for kind in str(self.values[key]).split(" | "))
            for key in ("expected", "kind")
            if key in self.values
        }
        return text(f"{self.code}.message", lang, **{**self.values, **kinds})


def _say_kind(kind: str, lang: Lang) -> str:
    known = ("object", "array", "str", "int", "float", "bool", "null", "seed", "listed")
    return text(f"app.json_kind.{kind}", lang) if kind in known else kind


def parse_receipt(document: bytes, name: object) -> tuple[JsonObject, str]:
    """Parse a receipt with its program.

    Args:
        document: The content of the file.
        name: The file, as the error names it.

    Raises:
        BadReceipt: The document is too large, no JSON text, or a field is missing or wrong.
    """
    if len(document) > MAX_BYTES:
        raise BadReceipt("app.receipt_too_large", path=name, mib=MAX_MIB)
    found = _decode(document, name)
    try:
        receipt = msgspec.convert(found, RecordedReceipt)
    except msgspec.ValidationError as error:
        raise _explain(found, str(error), name) from error
    if not 0 <= receipt.seed < _MAX_SEED:
        raise _wrong(name, "seed", kind="int", came=str(receipt.seed), expected="seed")
    if "source" not in found:
        raise BadReceipt("app.receipt_lacks", path=name, place="source")
    source = found["source"]
    if not isinstance(source, str):
        raise _wrong(name, "source", kind=_kind_of(source), came="", expected="str")
    return found, source


def _decode(document: bytes, name: object) -> JsonObject:
    try:
        # A mark of byte order is left out; editors may write one.
        found = json.loads(document.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadReceipt("app.receipt_not_text", path=name, place=error.start) from error
    except json.JSONDecodeError as error:
        came = "".join(error.doc[error.pos : error.pos + _NUM_SHOWN].splitlines()[:1])
        key = "app.receipt_not_json" if came else "app.receipt_ends"
        place = {"line": error.lineno, "column": error.colno}
        raise BadReceipt(key, path=name, came=came, **place) from error
    except (ValueError, RecursionError) as error:
        # A number of thousands of digits, or lists inside each other by the thousand.
        raise BadReceipt("app.receipt_unparsable", path=name) from error
    if is_deeper(found, _MOST_LEVELS):
        raise BadReceipt("app.receipt_unparsable", path=name)
    if not isinstance(found, dict):
        raise BadReceipt("app.receipt_no_object", path=name, kind=_kind_of(found))
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        # Neither the judge nor an answer can carry it.
        came = f"\\u{ord(error.object[error.start]):x}"
        raise BadReceipt("app.receipt_surrogate", path=name, came=came) from error
    return found


def _explain(found: JsonObject, complaint: str, name: object) -> BadReceipt:
    """Describe the field that msgspec rejects, its value, and the expected type."""
    at = _PLACE.search(complaint)
    place = at["place"] if at else ""
    said = complaint[: at.start()] if at else complaint
    if missing := _MISSING.match(said):
        place = f"{place}.{missing['name']}" if place else missing["name"]
        return BadReceipt("app.receipt_lacks", path=name, place=place)
    if kinds := _KIND.match(said):
        return _wrong(name, place, kind=kinds["came"], came="", expected=kinds["expected"])
    came = value["came"] if (value := _VALUE.match(said)) else ""
    return _wrong(name, place, kind="str", came=came[:_NUM_SHOWN], expected="listed")


def _wrong(name: object, place: str, *, kind: str, came: str, expected: str) -> BadReceipt:
    key = "app.receipt_value" if came else "app.receipt_kind"
    return BadReceipt(key, path=name, place=place, kind=kind, came=came, expected=expected)


def _kind_of(value: object) -> str:
    if value is None:
        return "null"
    name = type(value).__name__
    return {"dict": "object", "list": "array"}.get(name, name)
