"""Name what a piece of HTML holds that may not stand in the page.

The lists are written by hand, apart from those of the source: an element that is let in by mistake
there is not let in here.
"""

import re
from html.parser import HTMLParser

_ELEMENTS = set(
    # HTML
    "a blockquote br code div em figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre span strong "
    "table tbody td th thead tr ul "
    # MathML Core, without semantics, annotations and actions
    "math merror mfrac mi mn mo mover mpadded mphantom mroot mrow mspace msqrt mstyle msub msubsup "
    "msup mtable mtd mtext mtr munder munderover "
    # SVG that only draws
    "circle clippath defs desc ellipse g line lineargradient marker path pattern polygon polyline "
    "radialgradient rect stop svg text title tspan use".split()
)
_VOID = {"br", "hr"}
_NEVER = re.compile(r"on|style|src|xlink|xmlns|action|formaction|ping|target|data|http|name|value")
_ADDRESS = re.compile(r"https?://[^\s\\]+|(?![^/?#]*:)[^\s\\]*", re.IGNORECASE)
_LOCAL = re.compile(r"#s_\d+_[\w.-]+")
_REL = "noopener noreferrer"


def find_faults(html: str) -> list[str]:
    """List what is not allowed, and what would reach out of the element that holds the HTML."""
    scanner = _Scanner(convert_charrefs=True)
    scanner.feed(html)
    scanner.close()
    return scanner.faults + [f"<{tag}> is not closed" for tag in scanner.open]


def text_of(html: str) -> str:
    """Return the text that a reader sees, formulas and drawings included."""
    scanner = _Scanner(convert_charrefs=True)
    scanner.feed(html)
    scanner.close()
    return "".join(scanner.text)


def elements_of(html: str) -> list[tuple[str, dict[str, str]]]:
    """List the elements with their attributes, in order."""
    scanner = _Scanner(convert_charrefs=True)
    scanner.feed(html)
    scanner.close()
    return scanner.elements


class _Scanner(HTMLParser):
    def __init__(self, *, convert_charrefs: bool) -> None:
        super().__init__(convert_charrefs=convert_charrefs)
        self.faults: list[str] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in _ELEMENTS:
            self.faults.append(f"<{tag}>")
        for name, value in attrs:
            if fault := _fault_of(tag, name, value or ""):
                self.faults.append(f"<{tag} {name}={value!r}>: {fault}")
        values = dict(attrs)
        if tag == "a" and "//" in (values.get("href") or "")[:8] and values.get("rel") != _REL:
            self.faults.append("a link leads outside without rel")
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.faults.append(f"<{tag}/> ends itself, which HTML does not know")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes something else")

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        self.faults.append(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self.faults.append(f"<!{decl}>")

    def handle_pi(self, data: str) -> None:
        self.faults.append(f"<?{data}>")

    def unknown_decl(self, data: str) -> None:
        self.faults.append(f"<![{data}]>")


def _fault_of(tag: str, name: str, value: str) -> str:
    if _NEVER.match(name):
        return "never"
    if name == "href":
        pattern = {"a": _ADDRESS, "use": _LOCAL}.get(tag)
        return "" if pattern and pattern.fullmatch(value) else "not an address to go to"
    if "url" in value.lower() and name not in ("id", "class", "aria-label"):
        is_local = value.startswith("url(") and _LOCAL.fullmatch(value[4:-1])
        return "" if is_local else "reaches outside"
    if name == "id" and not re.fullmatch(r"s-[a-z0-9-]+|s_\d+_[\w.-]+", value):
        return "an id of the page"
    return ""
