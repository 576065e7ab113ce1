"""Syntax highlighting with the five classes of the page's palette.

``k`` keyword, ``fn`` function, ``s`` string, ``n`` number, ``c`` comment; everything else has the
colour of the text. The lexers are from Pygments; its sixty classes are not used.
"""

from collections.abc import Iterator
from functools import cache
from html import escape
from importlib import import_module
from itertools import groupby
from typing import Protocol

CLASSES = frozenset({"c", "fn", "k", "n", "s"})
# Some lexers take quadratic time on a text of another language.
MAX_CHARACTERS = 20_000

_LEXERS = {
    "bash": ("pygments.lexers.shell", "BashLexer"),
    "console": ("pygments.lexers.shell", "BashSessionLexer"),
    "cpp": ("pygments.lexers.c_cpp", "CppLexer"),
    "json": ("pygments.lexers.data", "JsonLexer"),
    "pycon": ("pygments.lexers.python", "PythonConsoleLexer"),
    "python": ("pygments.lexers.python", "PythonLexer"),
    "toml": ("pygments.lexers.configs", "TOMLLexer"),
}
_ALIASES = {"c++": "cpp", "cuda": "cpp", "cu": "cpp", "py": "python", "sh": "bash"}
# By the prefix of a token's name; the first match applies.
_CLASS_OF = (
    ("Comment.PreprocFile", "s"),
    ("Comment.Preproc", "k"),
    ("Comment", "c"),
    ("Generic.Prompt", "c"),
    ("Keyword", "k"),
    ("Operator.Word", "k"),
    ("Literal.String", "s"),
    ("Literal.Number", "n"),
    ("Name.Class", "fn"),
    ("Name.Function", "fn"),
)


class _Lexer(Protocol):
    def get_tokens(self, text: str) -> Iterator[tuple[object, str]]: ...


def highlight(source: str, language: str) -> str:
    """Convert source code to HTML; an unknown language stays plain.

    >>> highlight("return 1", "python")
    '<span class="k">return</span> <span class="n">1</span>'
    """
    name = _ALIASES.get(language.lower(), language.lower())
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    tokens = _lex(source, name) if name in _LEXERS and len(source) <= MAX_CHARACTERS else []
    # Ignore the result of a lexer that loses a character.
    if "".join(text for _, text in tokens) != source:
        return escape(source, quote=False)
    parts = groupby(_classes(tokens), key=lambda part: part[0])
    return "".join(_span(kind, "".join(text for _, text in texts)) for kind, texts in parts)


def _lex(source: str, name: str) -> list[tuple[str, str]]:
    tokens = [
        (str(kind).removeprefix("Token."), text) for kind, text in _lexer(name).get_tokens(source)
    ]
    if tokens and not source.endswith("\n"):
        kind, text = tokens.pop()
        tokens.append((kind, text.removesuffix("\n")))
    return tokens


@cache
def _lexer(name: str) -> _Lexer:
    module, lexer = _LEXERS[name]
    made: _Lexer = getattr(import_module(module), lexer)(stripnl=False)
    return made


def _classes(tokens: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for index, (kind, text) in enumerate(tokens):
        after = tokens[index + 1][1] if index + 1 < len(tokens) else ""
        is_call = kind.startswith("Name") and not kind.startswith("Name.Decorator")
        if is_call and after.startswith("("):
            yield "fn", text
        else:
            yield next((name for begin, name in _CLASS_OF if kind.startswith(begin)), ""), text


def _span(kind: str, text: str) -> str:
    shown = escape(text, quote=False)
    return f'<span class="{kind}">{shown}</span>' if kind and text.strip() else shown
