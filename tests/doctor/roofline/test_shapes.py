"""The work of operators: by hand, against PyTorch's own counter, and of shapes without sense."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.doctor.kernels import shapes
from torchstone.doctor.events import Shapes
from torchstone.doctor.read.run import read_run
from torchstone.doctor.roofline.shapes import MODELS, VIEWS, listed_type, work_of
from torchstone.doctor.roofline.work import Family

HALF = "c10::BFloat16"


@pytest.mark.pure
def test_views_move_nothing_and_unknown_operators_are_not_guessed() -> None:
    found = work_of("aten::transpose", None)
    assert found is not None
    assert (found.family, found.flops, found.num_bytes) == (Family.VIEW, 0, 0)
    assert work_of("mine::kernel", shapes([[4, 4], [4, 4]])) is None
    assert work_of("aten::mm", None) is None


@pytest.mark.pure
def test_kernels_of_torch_compile_move_each_of_their_tensors_once() -> None:
    given_shapes = shapes([[8, 4], [8, 4], []], ["float", HALF, "Scalar"])
    found = work_of("triton_poi_fused_add_mul_2", given_shapes)
    assert found is not None
    assert found.num_bytes == 32 * 4 + 32 * 2
    # What a template multiplies is not in its inputs alone.
    assert work_of("triton_tem_fused_mm_0", given_shapes) is None


@pytest.mark.pure
def test_the_type_of_lists_is_that_of_their_kernels_if_there_is_one() -> None:
    lists = shapes([[[8], [4]], [[8], [4]]], "TensorList")
    assert work_of("aten::_foreach_add_", lists) is None
    found = work_of("aten::_foreach_add_", lists, listed_type({"kernel<c10::BFloat16, float>"}))
    assert found is not None
    assert (found.read, found.written) == (2 * 12 * 2, 12 * 2)
    assert listed_type({"kernel<float>", "kernel<double>"}) == ""
    assert listed_type({"a_kernel"}) == ""
    assert listed_type({"CatArrayBatchedCopy<OpaqueType<2u>, unsigned int>"}) == "2 bytes"


INPUTS = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(1 << 70), 1 << 70), st.text(max_size=4)),
    lambda inner: st.lists(inner, max_size=5),
    max_leaves=12,
)
TYPES = st.sampled_from(["float", HALF, "long int", "TensorList", "Scalar", "", None, 3])
VALUES = st.sampled_from(
    ["", "[1, 1]", "[-3]", "True", "[True, False, True]", "0", "x", "[1.5]", None]
)


@pytest.mark.pure
@given(
    st.sampled_from(sorted(MODELS) + sorted(VIEWS)),
    st.lists(st.one_of(INPUTS, st.lists(st.integers(0, 9), max_size=5)), max_size=12),
    st.lists(TYPES, max_size=12),
    st.lists(VALUES, max_size=12),
)
def test_shapes_without_sense_are_unknown_and_never_an_error(
    name: str, dims: list[object], types: list[object], values: list[object]
) -> None:
    texts = [json.dumps(each).encode() for each in (dims, types, values)]
    found = work_of(
        name, Shapes(dims=texts[0], types=texts[1], strides=texts[0], values=texts[2]), "float"
    )
    if found is not None:
        assert found.flops >= 0
        assert min(found.read, found.written) >= 0


@pytest.mark.pure
@given(st.sampled_from(sorted(MODELS)), st.binary(max_size=20))
def test_texts_that_are_no_shapes_are_unknown(name: str, text: bytes) -> None:
    assert work_of(name, Shapes(dims=text, types=b"[", strides=b"", values=b"")) is None


@pytest.mark.torch
def test_flops_of_a_real_profile_are_those_of_the_flop_counter(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    functional = torch.nn.functional
    from torch.utils.flop_counter import FlopCounterMode

    def run() -> None:
        image = torch.randn(2, 3, 12, 10, requires_grad=True)
        weight = torch.randn(4, 3, 3, 2, requires_grad=True)
        image_out = functional.conv2d(image, weight, stride=(2, 1), padding=1, dilation=(1, 2))
        image_out.sum().backward()
        back = torch.randn(4, 5, 3, 3, requires_grad=True)
        out = functional.conv_transpose2d(image_out.detach(), back, stride=2, output_padding=1)
        out.sum().backward()
        query = torch.randn(2, 2, 16, 8, requires_grad=True)
        keys = [torch.randn(2, 2, 12, 8, requires_grad=True) for _ in range(2)]
        functional.scaled_dot_product_attention(query, *keys).sum().backward()
        x, w = torch.randn(6, 8, requires_grad=True), torch.randn(5, 8, requires_grad=True)
        functional.linear(x, w, torch.randn(5)).sum().backward()
        torch.bmm(torch.randn(3, 4, 5), torch.randn(3, 5, 6))
        torch.baddbmm(torch.randn(3, 4, 6), torch.randn(3, 4, 5), torch.randn(3, 5, 6))

    run()
    with FlopCounterMode(display=False) as counter:
        run()
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True
    ) as profiler:
        run()
    path = tmp_path / "trace.json"
    profiler.export_chrome_trace(str(path))
    counted = {
        str(name).split(".")[-1]: flops
        for name, flops in counter.get_flop_counts()["Global"].items()
    }
    wanted = {
        "mm": ["aten::mm"],
        "addmm": ["aten::addmm"],
        "bmm": ["aten::bmm"],
        "baddbmm": ["aten::baddbmm"],
        "convolution": ["aten::convolution"],
        "convolution_backward": ["aten::convolution_backward"],
        "_scaled_dot_product_flash_attention_for_cpu": [
            "aten::_scaled_dot_product_flash_attention_for_cpu"
        ],
        "_scaled_dot_product_flash_attention_for_cpu_backward": [
            "aten::_scaled_dot_product_flash_attention_for_cpu_backward"
        ],
    }
    assert counted.keys() <= wanted.keys()
    ours = _summed(path)
    assert {name: sum(ours[each] for each in wanted[name]) for name in counted} == counted
    # The libraries below count what the operators around them do.
    assert ours["aten::convolution"] == ours["aten::_convolution"]


@pytest.mark.torch
def test_flops_are_those_of_the_profile_of_models(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from torchstone.models.profile import profile

    layer = torch.nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
    x = torch.randn(2, 16, 32)
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True
    ) as profiler:
        layer(x)
    path = tmp_path / "trace.json"
    profiler.export_chrome_trace(str(path))
    ours = _summed(path)
    kernels = ["mm", "addmm", "bmm", "baddbmm", "_scaled_dot_product_flash_attention_for_cpu"]
    assert sum(ours[f"aten::{name}"] for name in kernels) == profile(layer, x).whole.flops > 0


def _summed(path: Path) -> Counter[str]:
    events = read_run([path]).ranks[0].events
    found: Counter[str] = Counter()
    for row in range(len(events)):
        if events.shapes[row] >= 0:
            name = events.names[int(events.name[row])]
            work = work_of(name, events.signatures[int(events.shapes[row])])
            found[name] += work.flops if work is not None else 0
    return found
