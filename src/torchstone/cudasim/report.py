"""Report of findings: as compiler messages in English or Chinese, or as JSON.

The JSON of a check is one object:

- ``ok``: whether there are no findings and the exit code is 0
- ``exit_code``: the exit code; negative values are the number of the signal that ended the program
- ``findings``: a list of objects, in the order of detection, with

  - ``kind``: RAW, WAR, WAW, out-of-bounds, ... (``findings.KINDS``)
  - ``message``: a sentence that describes the error; ``hint``: the suggested remedy, both in the
    requested language
  - ``detail``: the facts independent of language: objects with ``say``, the key of a sentence, and
    ``with``, its values
  - ``space``: global, shared, constant, local, host, or empty
  - ``kernel``, ``variable``, ``offset``, ``allocation_bytes``, ``access_bytes``, ``count``
  - ``barrier``: null, or the last barrier that both threads of a race passed, with ``file``,
    ``line`` and ``function``; ``size``: the number of threads of a block in each direction;
    ``arrived``: the lanes that wait together with ``at``, as a mask for each warp
  - ``at`` and ``other``: null, or an object with ``file``, ``line``, ``function`` (null if
    unknown), ``block``, ``thread`` (three numbers each) and ``write``

- ``counters``, ``cost`` and ``nvcc``: see ``profile``
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from torchstone.cudasim.diagnostics import draw_line
from torchstone.cudasim.findings import RACES, Fact, Finding, Party
from torchstone.cudasim.words import Lang, say, say_name

_BOLD, _RED, _GREEN, _END = "\x1b[1m", "\x1b[1;31m", "\x1b[1;32m", "\x1b[0m"
_ACCESSES = ("out-of-bounds", "uninitialized", "misaligned", "use-after-free", "host-pointer",
             "device-pointer")  # fmt: skip
# The fact that marks a race with an asynchronous copy.
_NOT_AWAITED = "copy-not-awaited"


def render_findings(
    findings: Iterable[Finding],
    sources: Mapping[str, str],
    *,
    lang: Lang = "en",
    has_color: bool = False,
) -> str:
    """Format findings for a person.

    Args:
        findings: The findings.
        sources: File name -> its text.
        lang: The language of every sentence.
        has_color: Whether to use ANSI colors.
    """
    drawing = _Drawing(sources, lang)
    text = "\n\n".join("\n".join(drawing.draw(each)) for each in findings)
    return text if has_color else re.sub("\x1b\\[[0-9;]*m", "", text)


def as_json(finding: Finding, lang: Lang = "en") -> dict[str, object]:
    """Return a finding as a JSON object, as described above."""
    return {
        "kind": finding.kind,
        "message": describe(finding, lang),
        "hint": hint(finding, lang),
        "detail": [{"say": each.say, "with": dict(each.values)} for each in finding.detail],
        "space": finding.space,
        "kernel": finding.kernel,
        "variable": finding.variable,
        "offset": finding.offset,
        "allocation_bytes": finding.allocation_bytes,
        "access_bytes": finding.access_bytes,
        "count": finding.count,
        "at": _party_as_json(finding.at),
        "other": _party_as_json(finding.other),
        "barrier": asdict(finding.barrier) if finding.barrier else None,
        "size": list(finding.size),
        "arrived": list(finding.arrived),
    }


def _party_as_json(party: Party | None) -> dict[str, object] | None:
    if party is None:
        return None
    place = party.place
    return {
        "file": place.file if place else None,
        "line": place.line if place else None,
        "function": place.function if place else None,
        "block": list(party.block),
        "thread": list(party.thread),
        "write": party.is_write,
    }


def hint(finding: Finding, lang: Lang = "en") -> str:
    """Return the suggested remedy for a finding."""
    at, other = finding.at, finding.other
    is_far = finding.space == "global" and at and other and at.block != other.block
    barrier = say("barrier.grid" if is_far else "barrier.block", lang)
    about = "copy.hint" if _is_not_awaited(finding) else f"hint.{finding.kind}"
    return say(about, lang, barrier=barrier)


def _is_not_awaited(finding: Finding) -> bool:
    return any(fact.say == _NOT_AWAITED for fact in finding.detail)


def describe(finding: Finding, lang: Lang = "en") -> str:
    """Return one sentence that describes the finding."""
    facts = [_say_fact(each, lang) for each in finding.detail]
    if finding.kind in RACES and finding.at and finding.other:
        facts.insert(0, _describe_race(finding, finding.at, finding.other, lang))
    elif finding.kind in _ACCESSES and not facts:
        facts.append(_describe_access(finding, lang))
    return say("clause_mark", lang).join(facts) or say(f"kind.{finding.kind}", lang)


def _say_fact(fact: Fact, lang: Lang) -> str:
    values = {
        name: say_name(value, lang) if isinstance(value, str) else value
        for name, value in fact.values
    }
    return say(f"fact.{fact.say}", lang, **values)


def _describe_race(finding: Finding, at: Party, other: Party, lang: Lang) -> str:
    table = "copy" if _is_not_awaited(finding) else "race"
    return say(
        f"{table}.{finding.kind}",
        lang,
        who=_who(at, lang),
        what=_target(finding, lang) or say("target.unknown", lang),
        other=_who(other, lang, of=at),
    )


def _describe_access(finding: Finding, lang: Lang) -> str:
    at, size, offset = finding.at, finding.allocation_bytes, finding.offset
    verb = "write" if at and at.is_write else "read"
    known = "_bytes" if finding.access_bytes else ""
    access = say(f"access.{verb}{known}", lang, bytes=finding.access_bytes)
    if at and finding.kernel:
        access = say("access.of_thread", lang, who=_who(at, lang), access=access)
    if finding.kind != "out-of-bounds":
        whole = _whole(finding, lang)
        return say(f"access.{finding.kind}", lang, access=access, offset=offset, whole=whole)
    if offset < 0:
        whole = _whole(finding, lang)
        return say("access.before", lang, access=access, bytes=-offset, whole=whole)
    if size:
        where = "behind" if offset > size else "just_behind"
        whole = _whole(finding, lang, with_size=True)
        return say(f"access.{where}", lang, access=access, bytes=offset - size, whole=whole)
    return say("access.out-of-bounds", lang, access=access)


def _whole(finding: Finding, lang: Lang, *, with_size: bool = False) -> str:
    """Return the name of the variable or allocation that an access missed."""
    name = "variable_sized" if with_size else "variable"
    return say(
        f"whole.{name if finding.variable else 'allocation'}",
        lang,
        name=say_name(finding.variable, lang),
        size=finding.allocation_bytes,
    )


def _who(party: Party, lang: Lang, *, of: Party | None = None) -> str:
    name = "same_block" if of is not None and of.block == party.block else "thread"
    return say(f"who.{name}", lang, thread=_triple(party.thread), block=_triple(party.block))


def _triple(sizes: tuple[int, int, int]) -> str:
    return f"({sizes[0]}, {sizes[1]}, {sizes[2]})"


def _target(finding: Finding, lang: Lang) -> str:
    """Describe the bytes of an access; empty if they are unknown."""
    if not finding.variable and not finding.allocation_bytes:
        return ""
    name = "allocation"
    if finding.variable:
        name = "variable_of" if finding.allocation_bytes else "variable"
    return say(
        f"target.{name}",
        lang,
        name=say_name(finding.variable, lang),
        offset=finding.offset,
        size=finding.allocation_bytes,
    )


@dataclass(frozen=True, slots=True)
class _Drawing:
    """Formatter of findings with the lines of a program."""

    sources: Mapping[str, str]
    lang: Lang

    def draw(self, finding: Finding) -> list[str]:
        """Return the lines that describe one finding."""
        title = f"{_RED}{self._title(finding)}{self._say('colon')}{_END}"
        title += f"{_BOLD}{describe(finding, self.lang)}{_END}"
        lines = [f"{_BOLD}{self._place(finding.at)}{_END}{title}", *self._line(finding.at, finding)]
        if finding.other is not None:
            role = self._role(finding, finding.other)
            lines.append(f"{_BOLD}{self._place(finding.other)}{_END}{role}")
            lines += self._line(finding.other, finding)
        lines += [
            f"        {name}{self._say('colon')}{value}" for name, value in self._facts(finding)
        ]
        advice = f"{_GREEN}{self._say('report.hint')}{self._say('colon')}{_END}"
        return [*lines, f"        {advice}{hint(finding, self.lang)}"]

    def _say(self, key: str, **values: object) -> str:
        return say(key, self.lang, **values)

    def _title(self, finding: Finding) -> str:
        kind = self._say(f"kind.{finding.kind}")
        if finding.kind not in RACES or not finding.space:
            return kind
        return self._say("report.race_in", kind=kind, space=self._say(f"space.{finding.space}"))

    def _place(self, party: Party | None) -> str:
        place = party.place if party else None
        return f"{place.file}:{place.line}: " if place else ""

    def _role(self, finding: Finding, other: Party) -> str:
        did = "_write" if other.is_write else "_read"
        name = f"report.other{did if finding.kind in RACES else ''}"
        return self._say(name, who=_who(other, self.lang))

    def _line(self, party: Party | None, finding: Finding) -> list[str]:
        """Return the line of a party, with the variable, or else the whole statement, marked."""
        place = party.place if party else None
        lines = self.sources.get(place.file, "").split("\n") if place else []
        if place is None or not 0 < place.line <= len(lines):
            return []
        line = lines[place.line - 1].rstrip()
        name = finding.variable
        named = re.search(rf"\b{re.escape(name)}\b", line) if name.isidentifier() else None
        code = re.search(r"\S.*?(?=\s*(?://.*)?$)", line)
        match = named or code
        if match is None:
            return []
        return draw_line(line, place.line, begin=match.start(), end=match.end())

    def _facts(self, finding: Finding) -> Iterable[tuple[str, str]]:
        kernel = finding.kernel
        if kernel and finding.at and finding.kind not in RACES:
            kernel = self._say("report.kernel_at", kernel=kernel, who=_who(finding.at, self.lang))
        if kernel:
            yield self._say("report.kernel"), kernel
        target = _target(finding, self.lang)
        if target and finding.kind not in (*RACES, "leak"):
            yield self._say("report.memory"), target
        if finding.count > 1:
            yield self._say("report.met"), self._say("report.times", count=finding.count)
