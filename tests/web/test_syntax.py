"""The page asks for the syntax of a text while it is written."""

import pytest

from tests.web.live import LiveServer

pytestmark = pytest.mark.web


def test_the_syntax_of_a_text_is_checked(server: LiveServer) -> None:
    wrong = server.ask("POST", "/api/problems/01/syntax", {"source": "def f(:\n"})
    assert wrong.status == 200
    assert wrong.json["is_checked"] is True
    assert (wrong.json["error"]["type"], wrong.json["error"]["line"]) == ("SyntaxError", 1)
    right = server.ask("POST", "/api/problems/01/syntax", {"source": "x = 1\n"})
    assert right.json == {"is_checked": True, "error": None}
    kernel = server.ask("POST", "/api/problems/44/syntax", {"source": "int x = ;"})
    assert kernel.json == {"is_checked": False, "error": None}
    assert server.ask("POST", "/api/problems/99/syntax", {"source": ""}).status == 404
