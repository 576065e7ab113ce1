"""Storages: which cells each view visits, whose base it is, and who wrote when."""

from __future__ import annotations

import pytest
import torch

from torchstone import xray
from torchstone.xray.lines import LineFinder
from torchstone.xray.storage_views import StorageWatch

pytestmark = pytest.mark.torch


def test_views_of_one_storage_visit_its_cells_in_their_own_order() -> None:
    x = torch.arange(12.0).reshape(3, 4)
    scene = xray.storage(x=x, t=x.t(), row=x[1], wide=x[:1].expand(2, 4), copy=x.clone())
    first, second = scene["storages"]
    views = {view["name"]: view for view in first["views"]}
    assert (first["id"], first["bytes"], second["id"]) == ("s0", 48, "s1")
    assert views["t"]["cells"] == [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]
    assert (views["row"]["offset"], views["row"]["cells"]) == (4, [4, 5, 6, 7])
    assert (views["wide"]["overlaps"], views["t"]["overlaps"]) == (True, False)
    assert views["wide"]["stride"] == [0, 1]
    assert [view["name"] for view in second["views"]] == ["copy"]
    # The cells are what PyTorch itself finds there.
    cells = torch.tensor(views["t"]["cells"])
    assert x.flatten()[cells].tolist() == x.t().flatten().tolist()


def test_what_has_no_cells_is_named_with_its_reason() -> None:
    nested = torch.nested.nested_tensor([torch.ones(2)], layout=torch.jagged)
    scene = xray.storage(
        sparse=torch.eye(2).to_sparse(), nested=nested, meta=torch.empty(2, device="meta")
    )
    assert scene["storages"] == []
    assert {each["name"]: each["why"] for each in scene["opaque"]} == {
        "sparse": "sparse_coo",
        "nested": "jagged",
        "meta": "meta",
    }


def test_versions_conjugates_and_lazy_copies_are_told() -> None:
    x = torch.zeros(2)
    x.add_(1)
    lazy = torch._lazy_clone(x)
    z = torch.view_as_complex(torch.ones(1, 2)).conj()
    scene = xray.storage(x=x, lazy=lazy, z=z)
    storages = {storage["views"][0]["name"]: storage for storage in scene["storages"]}
    assert storages["x"]["views"][0]["version"] == 1
    assert storages["lazy"]["cow"] is True
    assert storages["z"]["views"][0]["conj"] is True


def test_a_write_through_a_view_is_noted_with_its_line() -> None:
    watch = StorageWatch(LineFinder(__file__))
    with watch.on():
        x = torch.zeros(3, 4)
        y = x.t()
        y.add_(1)
    scene = watch.data(space={"x": x, "y": y})
    (write,) = [event for event in scene["timeline"] if event["event"] == "write"][-1:]
    assert (write["op"], write["version"]) == ("aten.add_.Tensor", 1)
    assert write["storage"] == scene["storages"][0]["id"]
    first = test_a_write_through_a_view_is_noted_with_its_line.__code__.co_firstlineno
    assert write["line"] == first + 5


def test_too_many_cells_are_counted_and_not_listed() -> None:
    scene = xray.storage(big=torch.zeros(5000))
    assert scene["storages"][0]["views"][0]["cells"] is None
    assert scene["truncated"] == {"cells": 1}
