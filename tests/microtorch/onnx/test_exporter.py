"""Whole models, exported, give in onnxruntime what they give here."""

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as F
from tests.microtorch.onnx.judge import Does, agree, exported, ops_of
from torchstone.microtorch import Tensor, nn
from torchstone.microtorch.training.models import MODELS

pytestmark = pytest.mark.torch
BATCH: Any = {"x0": {0: "batch"}}


@pytest.fixture(autouse=True)
def _seed() -> None:
    micro.manual_seed(0)


@pytest.mark.parametrize("name", sorted(MODELS))
@pytest.mark.parametrize("is_dynamic", [False, True])
def test_the_networks_of_the_program(name: str, is_dynamic: bool) -> None:
    others = [micro.randn(n, 1, 8, 8) for n in (1, 7)] if is_dynamic else []
    axes = BATCH if is_dynamic else None
    agree(MODELS[name](8), micro.randn(2, 1, 8, 8), others=others, dynamic_axes=axes)


def test_layers_become_the_operations_that_onnx_has_for_them() -> None:
    found = exported(MODELS["cnn"](8), micro.randn(2, 1, 8, 8), dynamic_axes=BATCH)
    kinds = [node.op_type for node in found.graph.node]
    assert kinds == [
        "Conv",
        "Relu",
        "MaxPool",
        "Conv",
        "Relu",
        "MaxPool",
        "Reshape",
        "Gemm",
        "Identity",
    ]
    assert [each.name for each in found.graph.initializer][:2] == ["0.weight", "0.bias"]


def test_a_network_with_batch_norm_groups_strides_and_paddings() -> None:
    model = nn.Sequential(
        nn.Conv2d(4, 8, 3, stride=2, padding=1, groups=2),
        nn.BatchNorm2d(8),
        nn.GELU(),
        nn.Conv2d(8, 8, (3, 2), padding="same", bias=False),
        nn.BatchNorm2d(8, affine=False),
        nn.Hardswish(),
        nn.AvgPool2d(2, stride=1, padding=1, count_include_pad=False),
        nn.ConvTranspose2d(8, 6, 3, stride=2, padding=1, output_padding=1, groups=2),
        nn.Dropout(),
        nn.GroupNorm(2, 6),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(6, 3),
    )
    model(micro.randn(8, 4, 9, 9))
    found = agree(model, micro.randn(2, 4, 9, 9), others=[micro.randn(5, 4, 9, 9)],
                  dynamic_axes=BATCH)  # fmt: skip
    assert {"BatchNormalization", "ConvTranspose", "AveragePool", "GlobalAveragePool"} <= ops_of(
        found
    )


def test_a_model_is_exported_as_it_is_used_and_stays_as_it_was() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout()).train()
    model[2].eval()
    exported(model, micro.randn(4, 3))
    assert [each.training for each in model.modules()] == [True, True, True, False]
    assert model[1].num_batches_tracked.item() == 0


class Reader(nn.Module):
    def __init__(self, activation: str, norm_first: bool) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(11, 8), nn.Parameter(micro.randn(16, 8))
        layer = nn.TransformerEncoderLayer(
            8, 2, 16, batch_first=True, norm_first=norm_first, activation=activation
        )
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(8, 11)

    def forward(self, ids: Tensor, padding: Tensor | None = None) -> Tensor:
        x = self.tokens(ids) + self.places[: ids.shape[1]]
        return self.head(self.encoder(x, src_key_padding_mask=padding))


@pytest.mark.parametrize(("activation", "norm_first"), [("gelu", False), ("relu", True)])
def test_a_transformer_of_tokens_with_other_batches_and_lengths(
    activation: str, norm_first: bool
) -> None:
    found = agree(
        Reader(activation, norm_first),
        micro.randint(0, 11, (2, 6)),
        others=[micro.randint(0, 11, (5, 9)), micro.randint(0, 11, (1, 1))],
        dynamic_axes={"x0": {0: "batch", 1: "length"}},
    )
    sizes = [
        dim.dim_param or dim.dim_value for dim in found.graph.output[0].type.tensor_type.shape.dim
    ]
    assert sizes == ["batch", "length", 11]


def test_a_mask_of_padding_is_an_input() -> None:
    padding = micro.tensor([[False] * 6, [False] * 3 + [True] * 3])
    ids = micro.randint(0, 11, (2, 6))
    agree(Reader("gelu", False), ids, padding, others=[(ids, ~padding.flip(1) & padding)],
          dynamic_axes={"x0": {0: "batch"}, "x1": {0: "batch"}})  # fmt: skip


class Writer(nn.Module):
    """A small GPT."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(11, 8), nn.Embedding(16, 8)
        self.mix, self.norm = nn.Linear(8, 24), nn.LayerNorm(8)
        self.register_buffer("seen", micro.tril(micro.ones(16, 16)))

    def forward(self, ids: Tensor) -> Tensor:
        batch, length = ids.shape
        x = self.tokens(ids) + self.places(micro.arange(length))
        q, k, v = (
            each.view(batch, length, 2, 4).transpose(1, 2)
            for each in self.mix(self.norm(x)).split(8, 2)
        )
        scores = (q @ k.transpose(-2, -1)) / 2
        scores = scores.masked_fill(self.seen[:length, :length] == 0, float("-inf"))
        x = x + (F.softmax(scores, -1) @ v).transpose(1, 2).reshape(batch, length, 8)
        x = x + F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        return x[:, -1] @ self.tokens.weight.t()


def test_a_small_gpt_with_other_batches_and_lengths() -> None:
    agree(Writer(), micro.randint(0, 11, (2, 6)), others=[micro.randint(0, 11, (3, 9))],
          dynamic_axes={"x0": [0, 1]})  # fmt: skip


def test_recurrent_networks_are_unrolled() -> None:
    agree(nn.LSTM(3, 4, 2, batch_first=True), micro.randn(2, 5, 3), others=[micro.randn(4, 5, 3)],
          dynamic_axes=BATCH)  # fmt: skip
    agree(nn.GRU(3, 4, bidirectional=True), micro.randn(5, 2, 3))


def test_a_decoder_with_memory() -> None:
    layer = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)
    mask = nn.Transformer.generate_square_subsequent_mask(4)
    agree(lambda x, memory: nn.TransformerDecoder(layer, 1).eval()(x, memory, tgt_mask=mask),
          micro.randn(2, 4, 8), micro.randn(2, 5, 8))  # fmt: skip


def test_names_of_inputs_and_outputs_and_arguments_by_name(tmp_path: Path) -> None:
    import onnx

    class Two(nn.Module):
        def forward(self, x: Tensor, scale: float, *, shift: Tensor) -> Any:
            return x, {"sum": x * scale + shift, "none": [None]}

    path = tmp_path / "two.onnx"
    micro.onnx.export(
        Two(), (micro.ones(2), 3.0), path, kwargs={"shift": micro.ones(2)},
        input_names=["x", "shift"], output_names=["same", "sum"], opset_version=20,
    )  # fmt: skip
    found = onnx.load(str(path))
    onnx.checker.check_model(found)
    assert [each.name for each in found.graph.input] == ["x", "shift"]
    assert [each.name for each in found.graph.output] == ["same", "sum"]
    assert found.opset_import[0].version == 20


def test_arguments_that_make_no_sense_are_refused() -> None:
    model, x = nn.Linear(2, 2), micro.ones(1, 2)
    for options, error in (
        ({"input_names": ["a", "b"]}, ValueError),
        ({"output_names": ["a", "b"]}, ValueError),
        ({"opset_version": 9}, ValueError),
        ({"dynamic_shapes": {}}, TypeError),
        ({"dynamic_axes": {"y": {0: "n"}}}, ValueError),
        ({"input_names": ["a"], "dynamic_axes": {"a": {0: "n", 1: "n"}}}, ValueError),
    ):
        with pytest.raises(error, match=r"onnx\.export"):
            micro.onnx.export(model, x, io.BytesIO(), **options)
    with pytest.raises(TypeError, match="a path or a file"):
        micro.onnx.export(model, x)


def test_tensors_in_lists_and_dictionaries_are_inputs_too() -> None:
    import onnx

    x = micro.randn(2)
    file = io.BytesIO()
    micro.onnx.export(
        Does(lambda pair, more: pair[0] + pair[1] * more["z"]), ([x, x * 2], {"z": x}), file
    )
    found = onnx.load_from_string(file.getvalue())
    assert [each.name for each in found.graph.input] == ["input_0", "input_1", "input_2"]
    assert [len(node.input) for node in found.graph.node] == [2, 2, 1]


def test_dimensions_may_be_counted_from_the_end() -> None:
    agree(lambda x: x.reshape(x.shape[1], -1), micro.randn(3, 4), others=[micro.randn(3, 7)],
          dynamic_axes={"x0": {-1: "n"}})  # fmt: skip


def test_double_and_half_precision() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.LayerNorm(4))
    # ONNX knows the eps of a layer norm in single precision alone.
    agree(model.double(), micro.randn(2, 3, dtype=micro.float64), tolerance=1e-9)
    agree(model[:2].half(), micro.randn(2, 3).half(), tolerance=1e-3)


def test_the_package_is_imported_without_the_exporter() -> None:
    program = (
        "import sys, torchstone.microtorch as m; "
        "print(any('.onnx' in n for n in sys.modules), m.onnx.export.__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "export"]


class _Questioned(nn.Module):
    """Asks where the result of its convolution lies, and looks at it otherwise."""

    def __init__(self) -> None:
        super().__init__()
        self.images = nn.Conv2d(3, 4, 3)

    def forward(self, x: Tensor) -> Tensor:
        images: Tensor = self.images(x)
        assert images.stride()
        return images.view(images.shape[0], -1)


def test_what_lies_with_its_channels_last_keeps_its_name_when_it_is_moved() -> None:
    agree(_Questioned(), micro.randn(2, 3, 6, 6))
