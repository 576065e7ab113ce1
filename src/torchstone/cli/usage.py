"""Usage errors of the command line, in the common error format and the user's language."""

import re
from typing import Any

import typer

from torchstone.core.errors import BadInput

# The messages for the errors of Typer, which are English only.
_SENTENCES = (
    (re.compile(r"No such command '(?P<name>.*?)'\.?.*", re.S), "cli.command_unknown"),
    (re.compile(r"No such option:? '?(?P<name>-[^\s'.]*)'?.*", re.S), "cli.option_unknown"),
    (re.compile(r"Missing (?:argument|option|parameter|command) ?'?(?P<name>.*?)'?\.?", re.S),
     "cli.argument_missing"),
    (re.compile(r"Got unexpected extra arguments?(?:\(s\))? ?\((?P<words>.*)\)", re.S),
     "cli.arguments_surplus"),
)  # fmt: skip


def explain_misuse(error: typer.TyperException) -> BadInput:
    """Convert an error of Typer to an error in the reader's language."""
    said = _message(error)
    for sentence, code in _SENTENCES:
        if match := sentence.fullmatch(said):
            return BadInput(code, **match.groupdict())
    parameter = getattr(error, "param", None)
    if isinstance(error, typer.BadParameter) and parameter is not None:
        name = " / ".join(parameter.opts) if parameter.opts[0].startswith("-") else ""
        return BadInput(
            "cli.value_unusable",
            name=name or parameter.metavar,
            expected=_accepted_values(parameter),
        )
    return BadInput("cli.misused", reason=said.rstrip("."))


def _message(error: typer.TyperException) -> str:
    """Return the whole message; only some of Typer's errors have a method for it."""
    sentence = getattr(error, "format_message", None)
    return str(sentence() if sentence is not None else error)


def _accepted_values(parameter: Any) -> str:
    """Return the accepted values of an option or argument, e.g. ``en|zh`` or ``1 … 5``."""
    if parameter.min is not None and parameter.max is not None:
        return f"{parameter.min} … {parameter.max}"
    return str(parameter.metavar)
