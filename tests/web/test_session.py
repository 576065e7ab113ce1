import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.core.errors import BadInput
from torchstone.web.session import (
    KEY_NAME,
    MAX_TOKENS,
    SESSION_SECONDS,
    TOKEN_SECONDS,
    Sessions,
    Tokens,
    load_key,
)

pytestmark = pytest.mark.pure


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def test_a_token_lets_in_once() -> None:
    tokens = Tokens()
    token = tokens.issue()
    assert tokens.redeem(token)
    assert not tokens.redeem(token)


def test_a_token_dies_after_half_a_minute() -> None:
    clock = Clock()
    tokens = Tokens(clock)
    token = tokens.issue()
    clock.now += TOKEN_SECONDS
    assert not tokens.redeem(token)


@pytest.mark.parametrize("guess", ["", "x", "é" * 40, "\ud800"])
def test_a_guess_lets_nobody_in(guess: str) -> None:
    tokens = Tokens()
    tokens.issue()
    assert not tokens.redeem(guess)


def test_tokens_that_nobody_uses_do_not_heap_up() -> None:
    tokens = Tokens()
    issued = [tokens.issue() for _ in range(MAX_TOKENS + 5)]
    assert [tokens.redeem(token) for token in issued].count(True) == MAX_TOKENS
    assert not tokens.redeem(issued[0])


def sessions(clock: Clock | None = None, key: bytes = b"k" * 32) -> Sessions:
    return Sessions(key, Path("/data"), clock or Clock())


def test_a_cookie_is_good_under_its_key_until_it_is_too_old() -> None:
    clock = Clock()
    cookie = sessions(clock).issue()
    assert sessions(clock).is_valid(cookie)
    assert not sessions(clock, b"other" * 7).is_valid(cookie)
    clock.now += SESSION_SECONDS + 1
    assert not sessions(clock).is_valid(cookie)


@pytest.mark.parametrize("place", [0, 5, -1])
def test_a_cookie_that_was_changed_is_none(place: int) -> None:
    cookie = sessions().issue()
    index = place % len(cookie)
    changed = cookie[:index] + ("0" if cookie[index] != "0" else "1") + cookie[index + 1 :]
    assert not sessions().is_valid(changed)


@given(st.none() | st.text())
def test_no_text_is_a_cookie_by_chance(text: str | None) -> None:
    assert not sessions().is_valid(text)


def test_cookies_of_two_data_folders_have_two_names() -> None:
    names = {Sessions(b"k", Path(folder)).cookie_name for folder in ("/one", "/two")}
    assert len(names) == 2


def test_the_key_is_drawn_once_and_private(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: load_key(tmp_path), range(32)))
    assert len(keys) == 1
    assert stat.S_IMODE(os.stat(tmp_path / KEY_NAME).st_mode) == 0o600
    assert os.listdir(tmp_path) == [KEY_NAME]


def test_half_a_key_is_drawn_anew(tmp_path: Path) -> None:
    (tmp_path / KEY_NAME).write_bytes(b"half")
    assert len(load_key(tmp_path)) == 32


def test_a_key_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / KEY_NAME).mkdir()
    with pytest.raises(BadInput, match=KEY_NAME):
        load_key(tmp_path)
