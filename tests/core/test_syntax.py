import ast
import gc
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from torchstone.core.syntax import parse

_SOURCE = "x = f(1, (2, [3, 4, {5: 6}]))\n" * 30


@pytest.fixture
def yielding_collector() -> Iterator[None]:
    """Let the collector run often, and let other threads run in its middle."""

    def give_way(phase: str, info: dict[str, int]) -> None:
        del phase, info
        time.sleep(0.0005)

    before = gc.get_threshold()
    gc.callbacks.append(give_way)
    gc.set_threshold(50)
    yield
    gc.set_threshold(*before)
    gc.callbacks.remove(give_way)


@pytest.mark.usefixtures("yielding_collector")
def test_threads_that_read_at_once_all_get_their_trees() -> None:
    truth = ast.dump(ast.parse(_SOURCE))
    with ThreadPoolExecutor(4) as threads:
        trees = list(threads.map(parse, [_SOURCE] * 12))
    assert [ast.dump(tree) for tree in trees] == [truth] * 12


def test_an_expression_is_read_as_one() -> None:
    assert isinstance(parse("1 + 2", mode="eval"), ast.Expression)


def test_an_error_names_the_file() -> None:
    with pytest.raises(SyntaxError) as error:
        parse("x = (", "answer.py")
    assert error.value.filename == "answer.py"
