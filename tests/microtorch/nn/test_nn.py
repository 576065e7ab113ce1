"""Every layer by its name: how it is made, how it begins, what it shows, whether it is copied."""

import copy
import inspect
import pickle

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch

LAYERS = """
    MaxPool2d(2) | MaxPool1d(2, return_indices=True) | AvgPool1d(2) | AvgPool3d(2, 1)
    LPPool2d(2, 3) | MaxUnpool2d(2) | AdaptiveAvgPool2d((1, None)) | AdaptiveMaxPool1d(3, True)
    ReLU() | ReLU(True) | ELU() | ELU(inplace=True) | CELU() | SELU(True) | ReLU6() | Hardtanh()
    RReLU() | LeakyReLU(0.1, True) | GLU() | GELU() | Threshold(1, 2, True) | Hardshrink()
    Softshrink() | LogSigmoid() | Softplus() | PReLU(3) | Softmax() | LogSoftmax(1) | Softmin(1)
    Softmax2d() | Sigmoid() | Hardsigmoid(True) | Hardswish() | Mish(True) | SiLU() | Tanhshrink()
    Embedding(30, 4) | Embedding(30, 4, dtype=torch.float64)
    Dropout() | Dropout1d(0.2, True) | AlphaDropout() | FeatureAlphaDropout()
    Embedding(3, 4) | Embedding(3, 4, 1, 2, 1.0, True, True) | EmbeddingBag(3, 4)
    EmbeddingBag(3, 4, max_norm=1, padding_idx=-1, mode="sum")
    BatchNorm1d(3) | BatchNorm2d(3, bias=False) | InstanceNorm2d(3) | InstanceNorm1d(3, affine=True)
    LayerNorm(3) | LayerNorm((2, 3), bias=False) | GroupNorm(3, 6) | RMSNorm(3)
    Linear(3, 4) | Linear(20, 30, bias=False)
    Linear(3, 4, dtype=torch.float64) | Bilinear(3, 4, 5) | Identity(3)
    Flatten() | Unflatten(1, (2, 3))
    Conv1d(2, 4, 3) | Conv3d(2, 4, (1, 2, 3), 2, 1) | ConvTranspose1d(2, 4, 3)
    Conv2d(2, 4, 3, padding="same", groups=2, dilation=2, bias=False, padding_mode="reflect")
    ConvTranspose2d(2, 4, 3, output_padding=1, stride=2, dilation=2)
    LazyConv1d(3, 2) | LazyLinear(3) | LazyConvTranspose2d(3, 2) | LazyBatchNorm1d()
    RNN(3, 4) | RNN(3, 4, 2, "relu", False) | GRU(3, 4, bidirectional=True) | LSTMCell(3, 4)
    LSTM(3, 4, 2, proj_size=2, bidirectional=True, dropout=0.1, batch_first=True, bias=False)
    RNNCell(3, 4, nonlinearity="relu", bias=False) | GRUCell(3, 4, False)
    MultiheadAttention(4, 2) | MultiheadAttention(4, 2, kdim=3, vdim=5, add_bias_kv=True)
    TransformerEncoderLayer(4, 2, 8) | TransformerDecoderLayer(4, 2, 8, activation="gelu")
    Transformer(4, 2, 2, 1, 8)
    Upsample(3) | Upsample(scale_factor=(2.0, 3), mode="bilinear", align_corners=True)
    UpsamplingNearest2d(2) | UpsamplingBilinear2d(scale_factor=2) | PixelShuffle(2)
    PixelUnshuffle(2) | ChannelShuffle(2) | Unfold(2) | Fold(4, 2)
    ReflectionPad1d(1) | ReflectionPad2d((1, 2, 3, 4)) | ConstantPad1d(1, 2.0) | ZeroPad2d(1)
    CircularPad3d(1) | CosineSimilarity() | PairwiseDistance()
    L1Loss() | CTCLoss() | NLLLoss() | BCELoss(torch.ones(3)) | CrossEntropyLoss() | KLDivLoss()
    TripletMarginLoss() | TripletMarginWithDistanceLoss() | LinearCrossEntropyLoss(3, 4)
    Sequential() | Sequential(nn.Linear(2, 3), nn.ReLU()) | ModuleList()
    ModuleList([nn.Linear(1, 2), nn.Linear(1, 2), nn.Linear(1, 3)]) | ModuleDict({"a": nn.ReLU()})
    ParameterList([nn.Parameter(torch.ones(2)), torch.ones(3), "a"])
    ParameterDict({"b": nn.Parameter(torch.ones(2)), "a": 3})
"""
EXPRESSIONS = [each.strip() for line in LAYERS.strip().splitlines() for each in line.split("|")]
# Constructors that PyTorch itself writes as (*args, **kwargs), or whose defaults are functions.
FREE = {"LogSigmoid", "Module", "RNN", "Sigmoid", "Softmax2d", "Softsign", "Tanh", "Tanhshrink"}
FREE |= {"Transformer", "TransformerDecoderLayer", "TransformerEncoderLayer"}
# Old ways to say the same.
FREE |= {"GaussianNLLLoss", "Hardtanh"}


def both(expression):
    """Make a module twice with one seed: PyTorch's and ours."""
    torch.manual_seed(3)
    micro.manual_seed(3)
    return tuple(
        eval(f"nn.{expression}", {"nn": each.nn, "torch": each}) for each in (torch, micro)
    )


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.filterwarnings("ignore")
def test_a_new_module_shows_and_holds_what_pytorchs_does(expression):
    theirs, ours = both(expression)
    assert repr(ours) == repr(theirs)
    assert np.array_equal(micro.rand(3).array, torch.rand(3).numpy()), "the stream went elsewhere"
    wanted, got = theirs.state_dict(), ours.state_dict()
    assert list(got) == list(wanted)
    for key in () if "Lazy" in expression else wanted:
        assert str(got[key].dtype) == str(wanted[key].dtype)
        np.testing.assert_array_equal(got[key].array, wanted[key].numpy(), err_msg=key)


# What is lazy has no values yet.
@pytest.mark.parametrize("expression", [each for each in EXPRESSIONS if "Lazy" not in each])
@pytest.mark.filterwarnings("ignore")
def test_copies_share_nothing_and_hold_the_same(expression):
    _, ours = both(expression)
    for made in (copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        assert repr(made) == repr(ours)
        state = made.state_dict()
        assert list(state) == list(ours.state_dict())
        for key, value in ours.state_dict().items():
            assert not np.shares_memory(state[key].array, value.array)
            np.testing.assert_array_equal(state[key].array, value.array)


def test_constructors_take_pytorchs_arguments():
    compared = 0
    for name, theirs in vars(torch.nn).items():
        is_module = isinstance(theirs, type) and issubclass(theirs, torch.nn.Module)
        if not is_module or not hasattr(micro.nn, name) or name in FREE:
            continue
        parameters = [
            [
                (each.name, each.kind, each.default)
                for each in inspect.signature(kind).parameters.values()
            ]
            for kind in (getattr(micro.nn, name), theirs)
        ]
        assert parameters[0] == parameters[1], name
        compared += 1
    assert compared > 130


def test_a_wrong_argument_is_refused_as_by_any_function():
    with pytest.raises(TypeError, match="unexpected keyword argument 'alpah'"):
        micro.nn.ELU(alpah=1)
    with pytest.raises(TypeError, match="missing a required argument: 'threshold'"):
        micro.nn.Threshold()


def test_subclasses_inherit_and_change_what_they_are_made_with():
    class Soft(micro.nn.ELU):
        def __init__(self):
            super().__init__(alpha=0.5)

    module = Soft()
    assert repr(module) == "Soft(alpha=0.5)"
    module.alpha = 2.0
    assert module(micro.tensor(-1e9)).item() == -2.0
