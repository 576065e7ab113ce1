"""Login routes: a one-use link sets the session cookie."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import Response

from torchstone.web.address import Address, LoginLink, write_redirect
from torchstone.web.faults import lang_of
from torchstone.web.session import SESSION_SECONDS, TOKEN_SECONDS, Sessions, Tokens
from torchstone.web.shell import message_page

ENTER = "/enter"


class LoginLinks:
    """The valid login links; the file of a link is removed when the link expires."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self.tokens = Tokens()
        self._files: set[Path] = set()

    def open(self) -> LoginLink:
        """Create a link, and write the file that opens it."""
        link = f"{self._address.url.rstrip('/')}{ENTER}?token={self.tokens.issue()}"
        file = write_redirect(link)
        self._files.add(file)
        asyncio.get_running_loop().call_later(TOKEN_SECONDS, self._remove, file)
        return LoginLink(link=link, file=str(file))

    def close(self) -> None:
        """Remove the remaining files."""
        for file in tuple(self._files):
            self._remove(file)

    def _remove(self, file: Path) -> None:
        self._files.discard(file)
        with contextlib.suppress(OSError):
            file.unlink()

    def is_bearer(self, authorization: str) -> bool:
        """Return whether a header contains the key from this user's runtime folder."""
        expected = f"Bearer {self._address.key}"
        return hmac.compare_digest(authorization.encode(), expected.encode())


def add_login_routes(router: APIRouter, login_links: LoginLinks, sessions: Sessions) -> None:
    """Add the login routes."""

    @router.get(ENTER, include_in_schema=False)
    async def enter(request: Request, token: str = "") -> Response:
        lang = lang_of(request.scope)
        if not login_links.tokens.redeem(token):
            return message_page(lang, "refused", status=403)
        # Return a document, not a redirect: the navigation starts in a file and so is cross-site,
        # and a SameSite=Strict cookie is not sent along its redirects.
        response = message_page(lang, "entered", link="/")
        response.set_cookie(
            sessions.cookie_name,
            sessions.issue(),
            max_age=SESSION_SECONDS,
            httponly=True,
            samesite="strict",
            path="/",
        )
        return response

    @router.post("/api/login_links", include_in_schema=False)
    async def open_login_link() -> LoginLink:
        return login_links.open()
