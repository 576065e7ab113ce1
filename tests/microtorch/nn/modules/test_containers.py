"""Lists and dictionaries of modules and parameters behave as PyTorch's do."""

from collections import OrderedDict

import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch

CHANGES = {
    "append": lambda nn, s: s.append(nn.Tanh()),
    "insert": lambda nn, s: s.insert(1, nn.Tanh()),
    "extend": lambda nn, s: s.extend([nn.Tanh(), nn.ELU()]),
    "set": lambda nn, s: s.__setitem__(-1, nn.Tanh()),
    "delete": lambda nn, s: s.__delitem__(0),
    "delete a slice": lambda nn, s: s.__delitem__(slice(0, 2)),
    "pop": lambda nn, s: s.pop(1),
    "slice": lambda nn, s: s[1:],
    "item": lambda nn, s: s[-1],
    "add": lambda nn, s: s + nn.Sequential(nn.Tanh()),
}
OF_SEQUENTIAL = {
    "insert before the last": lambda nn, s: s.insert(-1, nn.Tanh()),
    "times": lambda nn, s: s * 2,
    "times in place": lambda nn, s: s.__imul__(2),
    "add in place": lambda nn, s: s.__iadd__(nn.Sequential(nn.Tanh())),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("kind", ["Sequential", "ModuleList"])
def test_changes_give_what_they_give_in_pytorch(kind, name):
    shown = []
    for nn in (micro.nn, torch.nn):
        layers = [nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 3)]
        whole = nn.Sequential(*layers) if kind == "Sequential" else nn.ModuleList(layers)
        result = CHANGES[name](nn, whole)
        shown.append((repr(result), repr(whole), list(whole.state_dict()), len(whole)))
    assert shown[0] == shown[1]


@pytest.mark.parametrize("name", OF_SEQUENTIAL)
def test_arithmetic_of_sequences_gives_what_it_gives_in_pytorch(name):
    shown = []
    for nn in (micro.nn, torch.nn):
        whole = nn.Sequential(nn.Linear(1, 2), nn.ReLU())
        shown.append((repr(OF_SEQUENTIAL[name](nn, whole)), repr(whole)))
    assert shown[0] == shown[1]


def test_names_of_an_ordered_dictionary_are_kept():
    named = micro.nn.Sequential(OrderedDict(first=micro.nn.Linear(1, 2), then=micro.nn.ReLU()))
    assert list(named.state_dict()) == ["first.weight", "first.bias"]
    assert repr(named[:1]).startswith("Sequential(\n  (first)")
    assert named(micro.ones(1, 1)).shape == (1, 2)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda nn: nn.Sequential(nn.ReLU())[1], IndexError),
        (lambda nn: nn.Sequential(1), TypeError),
        (lambda nn: nn.Sequential(nn.ReLU()) + 1, ValueError),
        (lambda nn: nn.Sequential(nn.ReLU()) * 0, ValueError),
        (lambda nn: nn.ModuleList([nn.ReLU()])[-2], IndexError),
        (lambda nn: nn.ModuleList(3), TypeError),
        (lambda nn: nn.ModuleDict({"a.b": nn.ReLU()}), KeyError),
        (lambda nn: nn.ModuleDict({"a": nn.ReLU()})["b"], KeyError),
        (lambda nn: nn.ModuleDict([["a"]]), ValueError),
        (lambda nn: nn.ParameterList(["a"])[1], IndexError),
        (lambda nn: nn.ParameterList()(), RuntimeError),
        (lambda nn: nn.ParameterDict({1: 2}), TypeError),
        (lambda nn: nn.ModuleList()(), NotImplementedError),
    ],
)
def test_what_pytorch_refuses_is_refused(call, error):
    for nn in (torch.nn, micro.nn):
        with pytest.raises(error):
            call(nn)


def test_a_dictionary_of_modules_is_one():
    modules = micro.nn.ModuleDict({"b": micro.nn.ReLU(), "a": micro.nn.Linear(1, 1)})
    assert list(modules) == list(modules.keys()) == ["b", "a"]
    assert "a" in modules
    modules.update([("c", micro.nn.Tanh())])
    assert repr(modules.pop("c")) == "Tanh()"
    del modules["b"]
    assert [name for name, _ in modules.items()] == ["a"]
    modules.clear()
    assert len(modules) == 0


def test_lists_and_dictionaries_of_parameters_enter_them():
    for nn, t in ((micro.nn, micro), (torch.nn, torch)):
        rows = nn.ParameterList([t.zeros(1), nn.Parameter(t.ones(2))])
        rows += [t.ones(3)]
        rows[0] = t.ones(4)
        assert [tuple(each.shape) for each in rows] == [(4,), (2,), (3,)]
        assert isinstance(rows[-1], nn.Parameter)
        assert list(rows.state_dict()) == ["0", "1", "2"]
        assert len(rows[1:]) == 2
        table = nn.ParameterDict({"b": t.zeros(1), "a": t.ones(2)})
        assert list(table.state_dict()) == list(table.keys()) == ["a", "b"]
        assert table.setdefault("c", t.ones(3)).shape == (3,)
        assert table.get("z") is None
        assert table.pop("a").shape == (2,)
        assert len(table | {"d": t.ones(1)}) == 3
        assert len(list(table.parameters())) == 2


def test_a_dictionary_of_parameters_names_their_types_as_pytorch_does():
    shown = []
    for t in (micro, torch):
        of_ints = t.nn.Parameter(t.ones(2, dtype=t.int32), requires_grad=False)
        held = {"a": t.ones(2, dtype=t.float64), "b": of_ints, "c": 3}
        shown.append(repr(t.nn.ParameterDict(held)))
    assert shown[0] == shown[1]
