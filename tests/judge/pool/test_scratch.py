"""An expression beside a file is evaluated behind the same walls, and nothing is recorded."""

from collections.abc import Iterator

import pytest

from torchstone.judge.host.client import Client

pytestmark = pytest.mark.sandbox

SOURCE = (
    "import torch\n\ndef softmax(x, dim=-1, dtype=None):\n    print('called')\n    return x.exp()\n"
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    made = Client(data=tmp_path_factory.mktemp("data"), workers=1)
    yield made
    made.stop()


def test_the_value_is_shown_with_its_dtype_and_shape(client: Client) -> None:
    event = client.evaluate("01", SOURCE, "softmax(torch.zeros(2))")
    assert event.text == "tensor([1., 1.])\nfloat32 (2,)"
    assert event.stdout == "called\n"
    assert event.error is None
    assert event.detail is None


def test_what_is_raised_is_named_with_its_line(client: Client) -> None:
    event = client.evaluate("01", SOURCE, "softmax(1)")
    assert event.text is None
    assert event.error.type == "AttributeError"
    assert event.error.line == 5


@pytest.mark.parametrize("expression", ["1 +", "x =", "unknown"])
def test_an_expression_that_is_none_is_an_error(client: Client, expression: str) -> None:
    event = client.evaluate("01", SOURCE, expression)
    assert event.error.type in ("SyntaxError", "NameError")


def test_the_last_expression_of_several_statements_is_the_value(client: Client) -> None:
    event = client.evaluate(
        "01", SOURCE, "x = torch.zeros(2)\nprint('mine')\nfor each in x:\n    each += 1\nsoftmax(x)"
    )
    assert event.text == "tensor([2.7183, 2.7183])\nfloat32 (2,)"
    assert event.stdout == "mine\ncalled\n"
    nothing = client.evaluate("01", SOURCE, "print(1)\nx = 1")
    assert (nothing.text, nothing.error, nothing.stdout) == (None, None, "1\n")


def test_bans_hold_beside_the_file_too(client: Client) -> None:
    event = client.evaluate("01", SOURCE, "torch.softmax(torch.zeros(2), 0)")
    assert event.text is None
    assert event.detail.en == "aten::softmax.int is banned in this problem."


def test_a_file_that_cannot_be_loaded_says_why(client: Client) -> None:
    event = client.evaluate("01", "def softmax(x:\n", "1")
    assert event.text is None
    assert "SyntaxError" in event.detail.en


def test_a_long_value_is_cut(client: Client) -> None:
    event = client.evaluate("01", SOURCE, "'a' * 10**6")
    assert len(event.text) == 20_000


@pytest.mark.full
@pytest.mark.parametrize("problem", ["41", "42", "42op", "50"])
def test_where_something_is_built_no_expression_is_tried(client: Client, problem: str) -> None:
    event = client.evaluate(problem, SOURCE, "1 + 1")
    assert event.text is None
    assert "表达式" in event.detail.zh
