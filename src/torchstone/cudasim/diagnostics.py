"""Compiler diagnostics, mapped from the rewritten program to the original source."""

import os
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

MAX_NOTES = 4

_MESSAGE = re.compile(
    r"(?P<file>[^:\n][^:\n]*):(?P<line>\d+):(?:(?P<column>\d+):)?\s+"
    r"(?P<severity>fatal error|error|warning|note): (?P<message>.*)"
)
# Context of an error in a header: gcc writes it before the error, clang in a note after it.
_CONTEXT = re.compile(
    r"(?P<file>[^:\n]+):(?P<line>\d+):(?:(?P<column>\d+):)?\s+(?:recursively )?"
    r"required (?:from|by)\b.*"
)
_INCLUDED = re.compile(r"(?:In file included)?\s+from (?P<file>[^:\n]+):(?P<line>\d+)[,:]")
_LINKER = re.compile(
    # binutils 2.44 and later append the section.
    r"(?:.*\bld(?:\.\w+)?: )?(?P<file>[^:\n]+):(?P<line>\d+):(?:\(\S+\):)? "
    r"(?P<message>undefined reference to .*)"
)
_UNPLACED = re.compile(
    r".*?(?P<message>(?:undefined|multiple) (?:reference|definition) (?:to|of) .*)"
)
_LEADING = ("in instantiation of", "in expansion of macro", "expanded from macro", "required from")


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One message of the compiler.

    Attributes:
        file: The file name as the user knows it; empty if the message concerns no file.
        line: The line, from 1; 0 if the message concerns none.
        column: The character in the line, from 1; 0 if unknown.
        severity: error or note.
        message: The text of the message.
    """

    file: str
    line: int
    column: int
    severity: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """Program text, as it was written and as it was compiled.

    Attributes:
        written: File name -> its text.
        compiled: The same of the rewritten program; line n of one is line n of the other.
        counts_bytes: Whether the compiler counts bytes in a line, as clang does, or columns.
    """

    written: Mapping[str, str]
    compiled: Mapping[str, str]
    counts_bytes: bool = False


def name_of_source(file: str) -> str:
    """Restore the original name of a file; rewriting replaces each leading ``..`` by ``up_``."""
    parts = os.path.normpath(file).split("/")
    climbs = next((n for n, part in enumerate(parts) if part != "up_"), len(parts))
    return "/".join([".."] * climbs + parts[climbs:])


def read_messages(said: str, texts: Texts) -> tuple[Diagnostic, ...]:
    """Parse the diagnostics of gcc or clang.

    An error in one of cudasim's own headers is reported at the line of the program that led there.
    """
    found: list[Diagnostic] = []
    leading: list[re.Match[str]] = []  # context of the next error
    homeless = False  # no line of the program is known for the last error yet
    num_notes = 0
    for line in said.replace("\u2018", "'").replace("\u2019", "'").splitlines():
        match = _MESSAGE.match(line)
        if match is None:
            context = _CONTEXT.match(line) or _INCLUDED.match(line)
            leading += [context] if context else []
            unplaced = _LINKER.match(line) or _UNPLACED.match(line)
            found += [_place(unplaced, texts)] if unplaced else []
            continue
        said_here = _place(match, texts)
        if match["severity"] == "note":
            leads_here = match["message"].startswith(_LEADING)
            if homeless and said_here.file and leads_here:
                found[-1] = _moved(found[-1], said_here)
                homeless = False
            # A quoted line explains why one of cudasim's overloads does not match.
            tells = said_here.file and not leads_here and not match["message"].startswith("  ")
            if tells and found and num_notes < MAX_NOTES:
                found.append(said_here)
                num_notes += 1
            continue
        if match["severity"] != "warning":
            places = [_place(each, texts) for each in leading]
            start = next((place for place in places if place.file), None)
            if not said_here.file and start is not None:
                said_here = _moved(said_here, start)
            homeless, num_notes = not said_here.file, 0
            found.append(said_here)
        leading = []
    # A consequential error somewhere in a header does not help on its own.
    placed = [each for each in found if each.line]
    return tuple(placed or found)


def _moved(what: Diagnostic, to: Diagnostic) -> Diagnostic:
    return Diagnostic(
        file=to.file, line=to.line, column=to.column, severity=what.severity, message=what.message
    )


def _place(match: re.Match[str], texts: Texts) -> Diagnostic:
    groups = match.groupdict()
    name = name_of_source(groups.get("file") or "")
    is_own = name in texts.written
    line = int(groups.get("line") or 0) if is_own else 0
    column = int(groups.get("column") or 0) if is_own else 0
    severity = groups.get("severity") or "error"
    return Diagnostic(
        file=name if is_own else "",
        line=line,
        column=_written_column(texts, name, line, column) if column else 0,
        severity="note" if severity == "note" else "error",
        message=_without_inner_names(groups.get("message") or ""),
    )


def _without_inner_names(message: str) -> str:
    message = message.replace("::cusim::", "").replace("cusim::", "")
    message = re.sub(r"\b([A-Za-z]\w*?)_[tsy]_\b", r"\1", message)
    message = message.removeprefix("static assertion failed: ").replace("`", "'")
    return re.sub(r" \[with .*\]$", "", message)


def _line_of(texts: Mapping[str, str], name: str, line: int) -> str:
    lines = texts.get(name, "").split("\n")
    return lines[line - 1].rstrip("\r") if 0 < line <= len(lines) else ""


def _written_column(texts: Texts, name: str, line: int, column: int) -> int:
    """Map a column of the rewritten line to the character of the written line."""
    written = _line_of(texts.written, name, line)
    compiled = _line_of(texts.compiled, name, line)
    at = _character(compiled, column - 1, counts_bytes=texts.counts_bytes)
    matcher = SequenceMatcher(None, compiled, written, autojunk=False)
    near = min(at, len(written))
    for tag, begin, end, to_begin, _ in matcher.get_opcodes():
        if begin <= at < end:
            near = to_begin + (at - begin if tag == "equal" else 0)
    # Find moved text, such as the name of a kernel in a launch, by its name. For a call that does
    # not match, gcc points at the parenthesis.
    word = re.match(r"\w+", compiled[at:]) or re.search(r"\w+$", compiled[:at])
    if word is not None and written[near : near + 1] != compiled[at : at + 1]:
        places = [each.start() for each in re.finditer(rf"\b{re.escape(word[0])}\b", written)]
        near = min(places, key=lambda place: abs(place - near), default=near)
    return near + 1


def _character(line: str, column: int, *, counts_bytes: bool) -> int:
    passed = 0
    for index, character in enumerate(line):
        if passed >= column:
            return index
        passed += len(character.encode()) if counts_bytes else width_of(character)
    return len(line)


def width_of(text: str) -> int:
    """Return the number of terminal columns of a text; a tab counts as one."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


def draw_line(line: str, number: int, *, begin: int, end: int = 0) -> list[str]:
    """Draw a source line with a mark below it: a caret, and tildes up to ``end`` (from 0)."""
    gutter = f"{number:5d} | "
    before = "".join("\t" if each == "\t" else " " * width_of(each) for each in line[:begin])
    mark = "^" + "~" * (width_of(line[begin:end]) - 1 if end > begin else 0)
    return [f"{gutter}{line}", f"{' ' * 5} | {before}{mark}"]


def render_messages(messages: tuple[Diagnostic, ...], written: Mapping[str, str]) -> str:
    """Format messages as compilers do: file, line and column, the message, and the source line."""
    lines: list[str] = []
    for each in messages:
        place = f"{each.file}:{each.line}:" if each.file else ""
        place += f"{each.column}:" if each.column else ""
        lines.append(f"{place} {each.severity}: {each.message}".lstrip())
        source = _line_of(written, each.file, each.line)
        if source:
            begin = each.column - 1 if each.column else len(source) - len(source.lstrip())
            lines += draw_line(source, each.line, begin=begin)
    return "\n".join(lines)
