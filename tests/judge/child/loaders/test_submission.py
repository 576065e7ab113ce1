"""A file is compiled and executed as a module, or it is said why it cannot be."""

import sys
from collections.abc import Iterator

import pytest

from torchstone.judge.child.loaders.submission import LoadError, load, load_probe

pytestmark = pytest.mark.torch


@pytest.fixture(autouse=True)
def no_trace() -> Iterator[None]:
    """Take the module of the submission out of the list of modules again."""
    yield
    sys.modules.pop("submission", None)


def test_names_are_attributes() -> None:
    submission = load("def f(): return 7\nclass A:\n    def g(self): pass\n", ["f", "A.g"])
    assert submission.f() == 7
    assert submission.A.__module__ == "submission"
    with pytest.raises(AttributeError, match="does not define 'h'"):
        _ = submission.h


@pytest.mark.parametrize(
    ("source", "code", "key"),
    [
        ("def f(:\n", "CE", "load.syntax"),
        ("x = '\0'\n", "CE", "load.syntax"),
        ("(" * 100_000, "CE", "load.syntax"),
        ("def g(): pass\n", "CE", "load.missing_name"),
        ("1 / 0\n", "RTE", "load.raised"),
        ("raise SystemExit\n", "RTE", "load.raised"),
    ],
)
def test_what_cannot_be_judged_says_why(source: str, code: str, key: str) -> None:
    with pytest.raises(LoadError) as caught:
        load(source, ["f"])
    assert (caught.value.record["code"], caught.value.record["key"]) == (code, key)


def test_a_missing_name_is_told_beside_those_that_are_there() -> None:
    with pytest.raises(LoadError) as caught:
        load("def softmix(): pass\n_hidden = print\nnumber = 3\n", ["softmax"])
    assert caught.value.record["values"] == {"name": "softmax", "defined": "softmix"}


def test_a_script_is_compiled_and_not_yet_run() -> None:
    assert load("1 / 0\n", [], execute=False).names().keys() >= {"__builtins__", "__file__"}


def test_the_file_sees_the_builtins_that_it_is_given() -> None:
    with pytest.raises(LoadError) as caught:
        load("open('x')\n", [], scope_builtins={"print": print})
    assert caught.value.record["error"]["type"] == "NameError"


def test_the_rules_of_our_file_do_not_hold_for_theirs() -> None:
    submission = load("def f(x: 1 + 1): pass\n", ["f"])
    assert submission.f.__annotations__ == {"x": 2}, "annotations are evaluated: no __future__"


def test_a_problem_without_a_probe_has_none() -> None:
    assert load_probe("") is None
    probe = load_probe("def probe(*request): return request[1]\n")
    assert probe is not None
    assert probe(None, "op", {}, None) == "op"
