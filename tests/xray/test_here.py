"""Scenes of a function or a block in this process have the schema, and the names around them."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from torchstone import xray

pytestmark = pytest.mark.torch

HEAD = {"schema", "torch", "scene", "source", "fidelity", "truncated", "not_followed"}


def scenes() -> dict[str, dict[str, Any]]:
    x = torch.ones(3, requires_grad=True)
    return {
        "dispatch": xray.dispatch(torch.relu, x),
        "graph": xray.graph(x.exp().sum()),
        "storage": xray.storage(x=x),
        "memory": xray.memory(lambda: x.exp()),
        "compile": xray.compile(lambda value: value),
    }


# Inductor scripts a class of torch when it is first imported.
@pytest.mark.filterwarnings("ignore:`torch.jit.script_method` is deprecated:DeprecationWarning")
def test_each_scene_says_what_it_is_and_where_it_comes_from() -> None:
    for name, scene in scenes().items():
        assert scene.keys() >= HEAD
        assert (scene["schema"], scene["scene"], scene["torch"]) == (1, name, torch.__version__)
        assert scene["source"]["file"] == __file__


def test_leaves_and_views_have_the_names_of_the_block() -> None:
    net = torch.nn.Linear(4, 3)
    data = torch.ones(2, 4, requires_grad=True)
    scene = xray.graph(net(data).sum())
    leaves = {node["leaf"] for node in scene["nodes"]} - {None}
    assert leaves == {"data", "net.weight", "net.bias"}
    with xray.graph() as watch:
        net(data).sum().backward()
    assert {node["leaf"] for node in watch.scene["nodes"]} - {None} == leaves
    assert {node["module"] for node in watch.scene["nodes"]} >= {"net"}
    with xray.storage() as watch:
        turned = data.detach().t()
    views = {view["name"]: view for each in watch.scene["storages"] for view in each["views"]}
    assert {"data", "turned", "net.weight"} <= views.keys()
    assert views["turned"]["stride"] == [1, 4]
    assert turned.shape == (4, 2)


def test_a_model_that_a_step_does_not_take_names_its_modules() -> None:
    def made() -> torch.nn.Module:
        return torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU())

    held = [made()]
    for scene in (
        xray.memory(lambda: held[0](torch.ones(2, 4)), held[0]),
        xray.memory(lambda model: model(torch.ones(2, 4)), held[0]),
    ):
        assert scene["raised"] is None
        assert {event["module"] for event in scene["events"]} >= {"model.0"}


def test_what_a_step_raises_is_raised() -> None:
    watch = xray.dispatch()

    def block() -> None:
        with watch:
            torch.ones(2)
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        block()
    assert watch.scene["raised"]["type"] == "ValueError"
    assert [call["op"] for call in watch.scene["calls"]] == ["aten::ones"]
