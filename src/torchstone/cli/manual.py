"""Help pages of the commands, from the message catalogue and the options.

Typer holds catalogue keys as help texts; this module replaces them by the messages. Typer's own
formatter counts Chinese characters as one column and supports English only.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from torchstone.cli.lines import wrap
from torchstone.cli.screen import Screen
from torchstone.core.i18n import Lang, catalogue, display_width, text

INDENT = "  "


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a help page: an argument, an option or a command, and its description."""

    name: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The help page of one command."""

    usage: str
    words: str
    arguments: tuple[Entry, ...]
    options: tuple[Entry, ...]
    commands: tuple[Entry, ...]


class Manual(TyperCommand):
    """A command with a help page from the message catalogue."""

    def get_help(self, ctx: Any) -> str:
        """Return the page in the language of the run."""
        return help_text(self, ctx)


class ManualGroup(TyperGroup):
    """A group of commands with a help page from the message catalogue."""

    def get_help(self, ctx: Any) -> str:
        """Return the page in the language of the run."""
        return help_text(self, ctx)


def help_text(command: Any, ctx: Any) -> str:
    """Return the help page of a command, formatted for its screen."""
    screen = ctx.obj if isinstance(ctx.obj, Screen) else Screen(lang="en")
    page = read_page(command, ctx.command_path, screen.lang)
    return "\n".join(_draw(page, screen))


def read_page(command: Any, path: str, lang: Lang) -> Page:
    """Create the help page of a command from its parameters."""
    parameters = [parameter for parameter in command.params if not parameter.hidden]
    arguments = [each for each in parameters if isinstance(each, TyperArgument)]
    options = [each for each in parameters if isinstance(each, TyperOption)]
    commands = list(getattr(command, "commands", {}).items())
    usage = [path, *(_usage_name(each) for each in arguments)]
    usage += [text("cli.manual.options_mark", lang)]
    usage += [text("cli.manual.command_mark", lang)] if commands else []
    return Page(
        usage=" ".join(usage),
        words=_words(command.help, lang),
        arguments=tuple(_entry(_metavar(each), each.help, lang) for each in arguments),
        options=(
            *(_entry(_option_name(each), _help_key(each), lang) for each in options),
            Entry(name="--help", words=text("cli.option.help", lang)),
        ),
        commands=tuple(_entry(name, each.help, lang) for name, each in commands),
    )


def _draw(page: Page, screen: Screen) -> Iterator[str]:
    yield f"{screen.say('manual.usage')} {page.usage}"
    yield ""
    yield from wrap(page.words, screen.columns)
    for title, entries in (
        ("arguments", page.arguments),
        ("commands", page.commands),
        ("options", page.options),
    ):
        if entries:
            yield ""
            yield screen.say(f"manual.{title}")
            yield from _draw_entries(entries, screen.columns)


def _draw_entries(entries: tuple[Entry, ...], columns: int) -> Iterator[str]:
    widest = max(display_width(entry.name) for entry in entries)
    left = len(INDENT) + widest + 2
    under = columns - left < 24
    for entry in entries:
        if under:
            yield INDENT + entry.name
            yield from (INDENT * 3 + line for line in wrap(entry.words, columns - 6))
            continue
        first, *rest = wrap(entry.words, columns - left) or [""]
        spare = " " * (widest - display_width(entry.name) + 2)
        yield f"{INDENT}{entry.name}{spare}{first}".rstrip()
        yield from (" " * left + line for line in rest)


def _entry(name: str, key: str | None, lang: Lang) -> Entry:
    return Entry(name=name, words=_words(key, lang))


def _words(key: str | None, lang: Lang) -> str:
    """Return the message of a key; a missing one is named, so that the page still opens."""
    if not key:
        return ""
    full = f"cli.{inspect.cleandoc(key)}"
    if full not in catalogue("cli", lang):
        return text("cli.manual.missing", lang, key=full)
    return text(full, lang)


def _help_key(option: Any) -> str | None:
    # The two options that Typer adds itself have English sentences, not keys.
    is_typers = option.name in ("install_completion", "show_completion")
    return f"option.{option.name}" if is_typers else option.help


def _metavar(argument: Any) -> str:
    return str(argument.metavar or argument.name).upper()


def _usage_name(argument: Any) -> str:
    name = _metavar(argument) + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _option_name(option: Any) -> str:
    names = ", ".join(sorted(option.opts, key=len))
    if option.is_flag:
        return names
    return f"{names} {option.metavar or ''}".rstrip()
