import re
from pathlib import Path

import pytest
from fastapi import APIRouter, FastAPI
from starlette.types import Message

from torchstone.web.shell import PAGE, ROUTES, Bundle, add_pages

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.pure

TEMPLATE = (
    '<html lang="%lang%" data-theme="%theme%"><title>%title%</title>'
    '<link hreflang="en" href="%url_en%"><link hreflang="zh-CN" href="%url_zh%">'
    '<!--preload--><script src="/assets/a.js" nonce="%nonce%"></script>%noscript% %description%'
)
MANIFEST = """{
  "index.html": {"file": "assets/a.js", "isEntry": true, "imports": ["_b.js"]},
  "_b.js": {"file": "assets/b.js"},
  "src/pages/Home.svelte": {"file": "assets/h.js", "css": ["assets/h.css"], "imports": ["_c.js"]},
  "_c.js": {"file": "assets/c.js", "imports": ["index.html", "_b.js"]},
  "src/messages/zh/index.ts": {"file": "assets/zh.js"},
  "src/messages/zh/home.ts": {"file": "assets/zh-home.js"},
  "src/messages/en/home.ts": {"file": "assets/en-home.js"},
  "src/messages/zh/review.ts": {"file": "assets/zh-review.js"}
}"""


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text(TEMPLATE)
    (tmp_path / "manifest.json").write_text(MANIFEST)
    (tmp_path / "icon.svg").write_text("<svg/>")
    (tmp_path / "assets" / "a.js").write_text("let x = 1;\n" * 100)
    (tmp_path.parent / "secret.txt").write_text("classified")
    return Bundle(tmp_path)


class Asked:
    """What an application answers to one GET."""

    def __init__(self, bundle: Bundle, path: str, **headers: str) -> None:
        app, router = FastAPI(), APIRouter()
        add_pages(router, bundle)
        app.include_router(router)
        raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": raw,
            "server": ("127.0.0.1", 1),
            "scheme": "http",
            "http_version": "1.1",
            "root_path": "",
        }
        self.status, self.headers, self.body = 0, dict[str, str](), b""
        import asyncio

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.status = message["status"]
                self.headers = {n.decode(): v.decode() for n, v in message["headers"]}
            else:
                self.body += message.get("body", b"")

        asyncio.run(app(scope, receive, send))

    @property
    def text(self) -> str:
        """Read the body."""
        return self.body.decode()


def test_a_document_is_in_the_language_of_its_address(bundle: Bundle) -> None:
    for lang, tag in (("en", "en"), ("zh", "zh-CN")):
        asked = Asked(bundle, f"/{lang}/")
        assert asked.status == 200
        assert f'<html lang="{tag}"' in asked.text
        assert asked.headers["content-language"] == tag
        assert 'hreflang="en" href="http://127.0.0.1:1/en/"' in asked.text
        assert 'hreflang="zh-CN" href="http://127.0.0.1:1/zh/"' in asked.text
        assert "%" not in asked.text


def test_the_chunks_of_a_page_are_asked_for_at_once(bundle: Bundle) -> None:
    text = Asked(bundle, "/zh/").text
    for name in ("h.js", "c.js", "zh.js", "zh-home.js"):
        assert f'<link rel="modulepreload" href="/assets/{name}"' in text
    assert "en-home.js" not in text
    assert "zh-review.js" not in text
    # The document itself asks for the frame.
    assert text.count("/assets/a.js") == 1
    assert '<link rel="stylesheet" href="/assets/h.css"' in text


def test_the_nonce_of_the_document_is_that_of_its_policy(bundle: Bundle) -> None:
    asked = Asked(bundle, "/en/")
    (nonce,) = set(re.findall(r'nonce="([^"]+)"', asked.text))
    assert f"'nonce-{nonce}'" in asked.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("cookie", "theme"),
    [
        ("torchstone_theme=dark", "dark"),
        ("torchstone_theme=light", "light"),
        ("", "system"),
        ('torchstone_theme="><script>', "system"),
    ],
)
def test_the_theme_is_right_in_the_first_frame(bundle: Bundle, cookie: str, theme: str) -> None:
    assert f'data-theme="{theme}"' in Asked(bundle, "/en/", cookie=cookie).text


@pytest.mark.parametrize(
    ("headers", "lang"),
    [
        ({}, "en"),
        ({"accept_language": "zh-CN,zh;q=0.9"}, "zh"),
        ({"accept_language": "de,en;q=0.5"}, "en"),
        ({"accept_language": "en", "cookie": "torchstone_lang=zh"}, "zh"),
        ({"accept_language": "zh", "cookie": "torchstone_lang=../x"}, "zh"),
    ],
)
def test_without_a_language_the_reader_s_own_is_chosen(
    bundle: Bundle, headers: dict[str, str], lang: str
) -> None:
    asked = Asked(bundle, "/", **headers)
    assert (asked.status, asked.headers["location"]) == (307, f"/{lang}/")


def test_a_page_that_is_not_there_is_one_that_says_so(bundle: Bundle) -> None:
    for path, tag in (("/zh/nothing", "zh-CN"), ("/nothing", "en")):
        asked = Asked(bundle, path)
        assert asked.status == 404
        assert f'lang="{tag}"' in asked.text


@pytest.mark.parametrize(
    "path", ["/assets/../secret.txt", "/../secret.txt", "/assets/none.js", "/manifest.json"]
)
def test_what_is_not_listed_does_not_exist(bundle: Bundle, path: str) -> None:
    asked = Asked(bundle, path)
    assert asked.status == 404
    assert "classified" not in asked.text


def test_an_asset_is_kept_for_ever_and_sent_small(bundle: Bundle) -> None:
    plain = Asked(bundle, "/assets/a.js")
    small = Asked(bundle, "/assets/a.js", accept_encoding="gzip, br")
    assert "immutable" in plain.headers["cache-control"]
    assert small.headers["content-encoding"] == "gzip"
    assert len(small.body) < len(plain.body) / 5


def test_without_a_built_page_it_is_said_how_to_build_it(tmp_path: Path) -> None:
    asked = Asked(Bundle(tmp_path), "/zh/")
    assert asked.status == 503
    assert "make run" in asked.text


def test_the_server_knows_the_routes_of_the_page() -> None:
    router = (ROOT / "frontend/src/lib/router.svelte.ts").read_text()
    pages = set(re.findall(r'import\("\.\./pages/(\w+)\.svelte"\)', router)) - {"Lost"}
    assert {Path(source).stem for source in ROUTES.values()} == pages


def test_the_page_lies_where_the_build_puts_it() -> None:
    config = (ROOT / "frontend/vite.config.ts").read_text()
    assert str(PAGE.relative_to(ROOT)) in config
