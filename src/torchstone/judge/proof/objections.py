"""Messages of a proof's objections, and objections that need no judging."""

from collections.abc import Mapping

from torchstone.bank.copies import copies
from torchstone.bank.least import shortages
from torchstone.bank.problem import Problem
from torchstone.core.i18n import Lang, text
from torchstone.judge.messages import Words
from torchstone.judge.proof.entry import Proof


def object_to_shortages(problem: Problem, proof: Proof) -> None:
    """Object to every kind of program of which the problem has too few."""
    for each in shortages(problem):
        detail = say("too_few", files=each.files, least=each.least, count=each.count)
        proof.object("too_few", each.kind, detail)


def object_to_copies(problem: Problem, proof: Proof) -> None:
    """Object to every wrong answer or cheat that should be a patch over a right answer."""
    for variant, base in copies(problem):
        named = base.path.relative_to(problem.path).as_posix()
        proof.object("copy", f"{variant.shelf}/{variant.name}", say("copy", base=named))


def say(entry: str, /, **values: object) -> Words:
    """Format an objection in both languages; a value may be ``Words`` itself."""
    return Words(en=_say_in("en", entry, values), zh=_say_in("zh", entry, values))


def _say_in(lang: Lang, entry: str, values: Mapping[str, object]) -> str:
    shown = {
        name: value.said_in(lang) if isinstance(value, Words) else value
        for name, value in values.items()
    }
    return text(f"judge.objection.{entry}", lang, **shown)


def unsaid(words: str) -> Words:
    """Return a program's message as both languages, because a program writes only one."""
    return Words(en=words, zh=words)
