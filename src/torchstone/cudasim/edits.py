"""Token edits: collect insertions and replacements, and write the text with equal lines."""

from torchstone.cudasim.tokens import Token, count_breaks


class Edits:
    """Insertions before and after tokens, and replacements of tokens."""

    def __init__(self) -> None:
        self._before: dict[int, list[str]] = {}
        self._instead: dict[int, str] = {}
        self._after: dict[int, list[str]] = {}

    def replace(self, token: Token, text: str) -> None:
        """Replace a token by a text; lines that the token joins stay joined."""
        self._instead[token.index] = text + "\\\n" * count_breaks(token.text)

    def insert_before(self, token: Token, text: str) -> None:
        """Insert a text before a token, after earlier insertions there."""
        self._before.setdefault(token.index, []).append(text)

    def insert_after(self, token: Token, text: str) -> None:
        """Insert a text behind a token, after earlier insertions there."""
        self._after.setdefault(token.index, []).append(text)

    def write(self, tokens: list[Token]) -> str:
        """Return the text of all tokens with the changes."""
        parts: list[str] = []
        for token in tokens:
            parts.extend(self._before.get(token.index, ()))
            parts.append(self._instead.get(token.index, token.text))
            parts.extend(self._after.get(token.index, ()))
        return "".join(parts)
