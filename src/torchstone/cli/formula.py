r"""TeX formulas as one-line text for terminals: ``\frac{a}{b^2}`` becomes ``a/b²``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

_TOKEN = re.compile(r"\\[A-Za-z]+ *|\\.|\s+|.", re.DOTALL)
_NAMES = (
    "alpha α beta β gamma γ delta δ varepsilon ε epsilon ε theta θ kappa κ lambda λ mu μ pi π rho "
    "ρ sigma σ tau τ phi φ varphi φ psi ψ omega ω eta η xi ξ Sigma Σ Delta Δ Omega Ω Phi Φ Lambda "
    "Λ Gamma Γ ell ℓ partial ∂ nabla ∇ infty ∞ sum ∑ prod ∏ int ∫ top ⊤ dots … ldots … cdots ⋯ "
    "langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lVert ‖ rVert ‖ Vert ‖ lvert | rvert | "
    "vert | wedge ∧ neg ¬ forall ∀ exists ∃ prime ′ ast ∗ colon :"
)
_INFIX = (
    "le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ lesssim ≲ approx ≈ equiv ≡ sim ∼ ll ≪ gg ≫ in ∈ notin ∉ "
    "subset ⊂ to → rightarrow → leftarrow ← gets ← mapsto ↦ Rightarrow ⇒ Longrightarrow ⟹ iff ⇔ "
    "propto ∝ bmod mod mid | land ∧ lor ∨ cup ∪ cap ∩ cdot · times × pm ± circ ∘ odot ⊙ otimes ⊗ "
    "oplus ⊕"
)
_FUNCTIONS = frozenset(
    "log ln exp max min det sin cos tan tanh sup inf lim arg gcd dim ker Pr sinh cosh deg".split()
)


def _pairs(words: str) -> dict[str, str]:
    parts = words.split()
    return dict(zip(parts[::2], parts[1::2], strict=True))


_SYMBOLS: Mapping[str, str] = MappingProxyType(
    _pairs(_NAMES)
    | {name: f" {symbol} " for name, symbol in _pairs(_INFIX).items()}
    | {name: f"{name} " for name in _FUNCTIONS}
    # Spaces and escaped characters.
    | {"quad": "   ", "qquad": "      ", ",": " ", ";": " ", ":": " ", " ": " ", "!": "", "|": "‖"}
    | {char: char for char in "{}_%$#&"}
)
# Only the size of the next delimiter, or the style of what follows.
_SILENT = frozenset(
    "left right big Big bigl bigr Bigl Bigr bigg Bigg biggl biggr middle displaystyle textstyle "
    "limits nolimits mathstrut".split()
)
_VERBATIM = frozenset("text operatorname mathrm mathsf mathtt textrm mathbf mathit".split())
_FRACTIONS = frozenset({"frac", "tfrac", "dfrac"})
_ACCENTS = {"bar": "\u0304", "hat": "\u0302", "tilde": "\u0303", "dot": "\u0307", "vec": "\u20d7"}
_ACCENTS |= {"overline": "\u0305", "widehat": "\u0302", "underline": "\u0332"}
_BLACKBOARD = MappingProxyType({"R": "ℝ", "Z": "ℤ", "N": "ℕ", "E": "𝔼", "C": "ℂ", "Q": "ℚ"})
_SUPERSCRIPTS = str.maketrans(
    "0123456789+−=()ijknmabcdefghloprstuvwxyzABDEGHIJKLMNOPRTUVW⊤′∗*",
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱʲᵏⁿᵐᵃᵇᶜᵈᵉᶠᵍʰˡᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵀ′**",
)
_SUBSCRIPTS = str.maketrans("0123456789+−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
# The distance of rows: \\[2pt].
_ROW_GAP = re.compile(r"\\\\\[[^\]]*\]")
_SPACE_BEFORE = re.compile(r" +(?=[),.;:\]⟩⌋⌉])|(?<=[(\[⟨⌊⌈]) +")
_SPACE_AFTER_FUNCTION = re.compile(rf"\b({'|'.join(sorted(_FUNCTIONS))}) (?=[(\[{{])")
_SIMPLE = re.compile(r"-?[\w\u0300-\u036f\u20d0-\u20ff∂∞‖|′⁰-₟ⁱ-ⁿᵀ.]+|√?[(⟨⌊⌈][^()]*[)⟩⌋⌉]")


def show_formula(tex: str) -> list[str]:
    r"""Write a formula as text; each row of an alignment is a line.

    A command that is not known stays as it is, so that no symbol is lost.

    >>> show_formula(r"\bar x_i \le \frac{1}{\sqrt{n - 1}} \sum_{k=0}^{n-1} a_k^2")
    ['x̄ᵢ ≤ 1/√(n − 1) ∑ₖ₌₀ⁿ⁻¹ aₖ²']
    """
    lines = _Reader(_ROW_GAP.sub(r"\\\\", tex)).read().split("\n")
    return [_tidy(line) for line in lines if line.strip()]


def _tidy(line: str) -> str:
    line = _SPACE_BEFORE.sub("", " ".join(line.split()))
    return _SPACE_AFTER_FUNCTION.sub(r"\1", line)


class _Reader:
    def __init__(self, tex: str) -> None:
        self._tokens = _TOKEN.findall(tex)
        self._position = 0
        # What separates the columns of the environment that is being read.
        self._column = " "

    def read(self, *ends: str) -> str:
        """Read up to one of the tokens ``ends``, or to the end of the formula."""
        written = ""
        while self._position < len(self._tokens):
            token = self._next()
            if token in ends:
                break
            if token in ("^", "_"):
                written = written.rstrip() + self._script(token)
            else:
                written += self._one(token)
        return written

    def _next(self) -> str:
        token = self._tokens[self._position] if self._position < len(self._tokens) else ""
        self._position += 1
        return " " if token.isspace() else token.rstrip() if token[1:].strip() else token

    def _one(self, token: str) -> str:
        if token == "{":
            return self.read("}")
        if token.startswith("\\") and len(token) > 1:
            return self._command(token[1:])
        return {
            "-": "−",
            "~": " ",
            "'": "′",
            "&": self._column,
            "=": " = ",
            "<": " < ",
            ">": " > ",
        }.get(token, token)

    def _command(self, name: str) -> str:
        if name in _SILENT:
            following = self._next() if name in ("left", "right", "middle") else ""
            return "" if following == "." else self._one(following)
        if name in _SYMBOLS:
            return _SYMBOLS[name]
        return self._structures(name)

    def _structures(self, name: str) -> str:
        if name in _FRACTIONS:
            return f"{_enclosed(self._argument())}/{_enclosed(self._argument())} "
        if name == "sqrt":
            return f"√{_enclosed(self._argument())}"
        if name in _VERBATIM:
            return self._raw()
        if name == "mathbb":
            letters = self._argument()
            return "".join(_BLACKBOARD.get(letter, letter) for letter in letters)
        if name in _ACCENTS:
            return "".join(letter + _ACCENTS[name] for letter in self._argument().strip())
        if name == "begin":
            return self._environment(self._raw())
        return "\n" if name == "\\" else f"\\{name} "

    def _argument(self) -> str:
        token = self._next()
        while token == " ":
            token = self._next()
        return self._one(token)

    def _raw(self) -> str:
        # A text: its spaces count, and nothing in it is a command.
        token = self._next()
        if token != "{":
            return self._one(token)
        rest = self._tokens[self._position :]
        end = rest.index("}") if "}" in rest else len(rest)
        self._position += end + 1
        return "".join(rest[:end]).replace("\\", "")

    def _script(self, mark: str) -> str:
        table: Callable[[str], str] = (
            _translator(_SUPERSCRIPTS) if mark == "^" else _translator(_SUBSCRIPTS)
        )
        words = _tidy(self._argument())
        small = table(words.replace(" ", ""))
        if small:
            return small
        return mark + (words if re.fullmatch(r"\w+|.", words) else f"({words})")

    def _environment(self, name: str) -> str:
        outer, self._column = self._column, ", " if name == "cases" else "  "
        body = self.read("\\end")
        self._column = outer
        self._raw()
        rows = [row.strip() for row in body.split("\n") if row.strip()]
        if name.startswith(("align", "gather", "split")):
            return "\n".join(rows)
        joined = "; ".join(rows)
        return f"{{ {joined} }}" if name == "cases" else f"[{joined}]"


def _translator(table: Mapping[int, int | str | None]) -> Callable[[str], str]:
    def translate(words: str) -> str:
        return words.translate(table) if all(ord(char) in table for char in words) else ""

    return translate


def _enclosed(words: str) -> str:
    words = words.strip()
    return words if _SIMPLE.fullmatch(words) else f"({words})"
