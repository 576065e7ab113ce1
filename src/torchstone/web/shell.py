"""HTML document of the page, the same for every address, in the language of the address.

The compiled files are in ``page/`` next to this file: ``index.html`` with placeholders, the chunks
in ``assets/``, and a manifest of the chunks of each route.
"""

from __future__ import annotations

import gzip
import html
import json
import mimetypes
import re
import secrets
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from torchstone.core.i18n import LANGS, Lang, text
from torchstone.web.faults import lang_of

PAGE = Path(__file__).parent / "page"
THEMES = ("system", "light", "dark")
HTML_LANGS = {"en": "en", "zh": "zh-CN"}
# The routes of frontend/src/lib/router.svelte.ts, and the component of each.
ROUTES = {
    "/": "Home",
    "/learn": "Learn",
    "/learn/{chapter}": "Learn",
    "/problems": "Problems",
    "/problems/{problem_id}": "Problem",
    "/questions": "Questions",
    "/questions/{number}": "Questions",
    "/review": "Review",
    "/receipts": "Receipts",
    "/receipts/{submission}": "Receipts",
    "/labs": "Labs",
    "/distributed": "Distributed",
    "/interview": "Interview",
    "/interview/{interview}": "Interview",
    "/interview/{interview}/report": "Interview",
    "/interview/{interview}/seat": "Interview",
    "/doctor": "Doctor",
    "/xray": "Xray",
    "/explain": "Explain",
    "/settings": "Settings",
}
LOST = "Lost"
# The message modules of a page, as frontend/src/messages/en/index.ts names them.
WORDS = {
    "Home": "home",
    "Learn": "learn",
    "Lost": "lost",
    "Problems": "problems",
    "Problem": "workbench",
    "Questions": "questions",
    "Review": "review",
    "Receipts": "receipts",
    "Labs": "labs",
    "Distributed": "distributed",
    "Interview": "interview",
    "Doctor": "doctor",
    "Settings": "settings",
}
YEAR_S = 31_536_000
_BLANK = re.compile(r"%([a-z_]+)%")
MESSAGE_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """A file of the compiled page, with its compressed content."""

    content: bytes
    compressed: bytes
    media_type: str


@dataclass(frozen=True)
class Bundle:
    """The compiled page.

    Attributes:
        folder: The folder of the compiled files.
    """

    folder: Path = PAGE

    @property
    def is_built(self) -> bool:
        """Return whether the page has been built."""
        return (self.folder / "index.html").is_file()

    @cached_property
    def template(self) -> str:
        """Read the HTML template."""
        return (self.folder / "index.html").read_text(encoding="utf-8")

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """Read the manifest of the chunks and their imports."""
        found: dict[str, Any] = json.loads((self.folder / "manifest.json").read_text("utf-8"))
        return found

    @cached_property
    def files(self) -> dict[str, Path]:
        """List the files that can be requested; all other names do not exist."""
        found = [self.folder / "icon.svg", *(self.folder / "assets").glob("*")]
        return {path.relative_to(self.folder).as_posix(): path for path in found if path.is_file()}

    def asset(self, name: str) -> Asset | None:
        """Read a file of the page; None if there is no file of that name."""
        path = self.files.get(name)
        try:
            return _read_asset(path) if path else None
        except FileNotFoundError:
            # After a rebuild under a running server, the old page requests removed files.
            return None

    def preloads(self, page: str, lang: Lang) -> tuple[str, ...]:
        """List the chunks of a page, so that a browser requests all of them at once."""
        words = ["index", *filter(None, [WORDS.get(page)])]
        sources = (
            f"src/pages/{page}.svelte",
            *(f"src/messages/{lang}/{each}.ts" for each in words),
        )
        chunks: dict[str, None] = {}
        for source in sources:
            self._gather(source, chunks)
        # The document itself imports the frame.
        return tuple(chunk for chunk in chunks if f"/{chunk}" not in self.template)

    def _gather(self, source: str, chunks: dict[str, None]) -> None:
        entry = self.manifest.get(source)
        if entry is None or entry["file"] in chunks:
            return
        chunks[entry["file"]] = None
        chunks.update(dict.fromkeys(entry.get("css", ())))
        for each in entry.get("imports", ()):
            self._gather(each, chunks)


@lru_cache(maxsize=256)
def _read_asset(path: Path) -> Asset:
    content = path.read_bytes()
    media_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return Asset(
        content=content, compressed=gzip.compress(content, 9, mtime=0), media_type=media_type
    )


def add_pages(router: APIRouter, bundle: Bundle) -> None:
    """Add the routes of the documents and files of the page."""
    for pattern, page in ROUTES.items():
        for lang in LANGS:
            address = f"/{lang}{pattern}"
            router.add_api_route(
                address, _document(bundle, lang, page), methods=["GET"], include_in_schema=False
            )

    @router.get("/", include_in_schema=False)
    def choose(request: Request) -> Response:
        chosen = request.cookies.get("torchstone_lang")
        lang = chosen if chosen in LANGS else lang_of(request.scope)
        return RedirectResponse(f"/{lang}/", status_code=307)

    @router.get("/{name:path}", include_in_schema=False)
    def file(name: str, request: Request) -> Response:
        asset = bundle.asset(name)
        if asset is not None:
            return _send_asset(asset, request, is_hashed=name.startswith("assets/"))
        lang: Lang = "zh" if name.startswith("zh/") else "en"
        if name.startswith(("api/", "assets/")) or not bundle.is_built:
            return Response(status_code=404, media_type="text/plain")
        return _page(bundle, lang, LOST, request, status=404)


def _document(bundle: Bundle, lang: Lang, page: str) -> Any:
    def document(request: Request) -> Response:
        if not bundle.is_built:
            return message_page(lang, "unbuilt", status=503)
        return _page(bundle, lang, page, request)

    return document


def _page(
    bundle: Bundle, lang: Lang, page: str, request: Request, *, status: int = 200
) -> Response:
    nonce = secrets.token_urlsafe(16)
    theme = request.cookies.get("torchstone_theme")
    rest = request.url.path.removeprefix(f"/{lang}")
    preloads = "\n    ".join(_preload(name) for name in bundle.preloads(page, lang))
    document = bundle.template.replace("<!--preload-->", preloads)
    values = {
        "lang": HTML_LANGS[lang],
        "theme": theme if theme in THEMES else "system",
        "title": text("web.page.title", lang),
        "description": text("web.page.description", lang),
        "noscript": text("web.page.noscript", lang),
        # Links to other languages must be absolute; the guard has checked the host.
        "url_en": f"{request.base_url}en{rest}",
        "url_zh": f"{request.base_url}zh{rest}",
        "nonce": nonce,
    }
    # Replace all at once: a URL can itself look like a placeholder.
    filled = _BLANK.sub(lambda blank: html.escape(values[blank[1]], quote=True), document)
    return HTMLResponse(
        filled,
        status_code=status,
        headers={
            "Content-Security-Policy": page_policy(nonce),
            "Content-Language": HTML_LANGS[lang],
            "Cache-Control": "no-cache",
        },
    )


def page_policy(nonce: str) -> str:
    """Return the content security policy of a page: only its own files."""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            # The editor inserts a style sheet when it starts.
            f"style-src 'self' 'nonce-{nonce}'",
            "img-src 'self'",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


def _preload(name: str) -> str:
    if name.endswith(".css"):
        return f'<link rel="stylesheet" href="/{name}" nonce="%nonce%">'
    return f'<link rel="modulepreload" href="/{name}" nonce="%nonce%">'


def _send_asset(asset: Asset, request: Request, *, is_hashed: bool) -> Response:
    is_zipped = "gzip" in request.headers.get("accept-encoding", "")
    is_zipped = is_zipped and len(asset.compressed) < len(asset.content)
    headers = {
        # The name of a chunk changes with its content.
        "Cache-Control": f"public, max-age={YEAR_S}, immutable" if is_hashed else "max-age=3600",
        "Vary": "Accept-Encoding",
    }
    if is_zipped:
        headers["Content-Encoding"] = "gzip"
    content = asset.compressed if is_zipped else asset.content
    return Response(content, media_type=asset.media_type, headers=headers)


def message_page(
    lang: Lang, message: str, *, status: int = 200, link: str | None = None
) -> HTMLResponse:
    """Create a page with one message, for responses without the compiled page."""
    sentence = html.escape(text(f"web.page.{message}", lang))
    following = ""
    if link:
        target = html.escape(link, quote=True)
        following = f'<meta http-equiv="refresh" content="0;url={target}">'
        sentence += f' <a href="{target}">{target}</a>'
    title = html.escape(text("web.page.title", lang))
    return HTMLResponse(
        f'<!doctype html><html lang="{HTML_LANGS[lang]}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>{title}</title>{following}</head>'
        f"<body><main><h1>{title}</h1><p>{sentence}</p></main></body></html>",
        status_code=status,
        # No sandbox: it would prevent the page from following its link.
        headers={"Content-Security-Policy": MESSAGE_POLICY},
    )
