"""Write the handbook's page of commands, in both languages, from the commands themselves.

Usage: ``python tools/commands_doc.py [--check]``
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from torchstone.cli.main import PROGRAM, build_app
from torchstone.cli.manual import Entry, read_page
from torchstone.core.i18n import LANGS, Lang, text

ROOT = Path(__file__).resolve().parent.parent
_OPENING = {
    "en": "# Commands\n\n"
    "Every command takes `--lang` and `--json`, before it or behind it. A result goes to standard "
    "output, progress and errors to standard error. The exit code is 0 when it is done or "
    "accepted, 1 when it is not accepted, 2 when the command was misused, 3 when the fault is "
    "Torchstone's.\n\n"
    "This page is written by `tools/commands_doc.py`; change the commands, not the page.\n",
    "zh": "# 命令\n\n"
    "每条命令都接受 `--lang` 和 `--json`，放在命令前后都可以。"
    "结果写到标准输出，进度和错误写到标准错误。"
    "退出码：0 表示完成或通过，1 表示没有通过，2 表示用法不对，3 表示 Torchstone 自身的故障。\n\n"
    "本页由 `tools/commands_doc.py` 生成；要改请改命令本身。\n",
}


def commands() -> Iterator[tuple[str, Any]]:
    """Yield every command with its full name; a group comes before its commands."""
    root = get_command(build_app())
    yield from _below(PROGRAM, root)


def _below(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield path, command
    for name, child in getattr(command, "commands", {}).items():
        yield from _below(f"{path} {name}", child)


def write_page(lang: Lang) -> str:
    """Return the page in one language."""
    return "\n".join([_OPENING[lang], *(_section(path, each, lang) for path, each in commands())])


def _section(path: str, command: Any, lang: Lang) -> str:
    page = read_page(command, path, lang)
    parts = [f"## {path}", "", "```text", page.usage, "```", "", page.words]
    for title, entries in (("arguments", page.arguments), ("options", page.options)):
        if entries:
            parts += ["", text(f"cli.manual.{title}", lang), "", *_rows(entries, lang)]
    return "\n".join([*parts, ""])


def _rows(entries: tuple[Entry, ...], lang: Lang) -> Iterator[str]:
    colon = "：" if lang == "zh" else ": "
    for entry in entries:
        yield f"- `{entry.name}`{colon}{entry.words}"


def page_path(lang: Lang) -> Path:
    """Return the path of the page in one language."""
    return ROOT / "docs" / "handbook" / lang / "commands.md"


def main() -> int:
    """Write the pages; with ``--check`` only report whether they are up to date."""
    stale = [
        lang
        for lang in LANGS
        if not page_path(lang).is_file()
        or page_path(lang).read_text(encoding="utf-8") != write_page(lang)
    ]
    if "--check" in sys.argv:
        for lang in stale:
            print(f"{page_path(lang).relative_to(ROOT)} is out of date", file=sys.stderr)
        return 1 if stale else 0
    for lang in stale:
        page_path(lang).write_text(write_page(lang), encoding="utf-8")
        print(f"wrote {page_path(lang).relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
