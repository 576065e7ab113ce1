"""Neural networks: modules, losses, parameters, as in ``torch.nn``."""

# mypy: implicit-reexport
# ruff: noqa: F401 - the names of this package are there to be used by others.

from torchstone.microtorch.nn import functional, init, parallel, utils
from torchstone.microtorch.nn.modules.activations import (
    CELU,
    ELU,
    GELU,
    GLU,
    SELU,
    Hardshrink,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    RReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softmax2d,
    Softmin,
    Softplus,
    Softshrink,
    Softsign,
    Tanh,
    Tanhshrink,
    Threshold,
)
from torchstone.microtorch.nn.modules.adaptive import AdaptiveLogSoftmaxWithLoss
from torchstone.microtorch.nn.modules.attention import MultiheadAttention
from torchstone.microtorch.nn.modules.containers import ModuleDict, ModuleList, Sequential
from torchstone.microtorch.nn.modules.convolution import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from torchstone.microtorch.nn.modules.distance import CosineSimilarity, PairwiseDistance
from torchstone.microtorch.nn.modules.dropout import (
    AlphaDropout,
    Dropout,
    Dropout1d,
    Dropout2d,
    Dropout3d,
    FeatureAlphaDropout,
)
from torchstone.microtorch.nn.modules.embedding import Embedding, EmbeddingBag
from torchstone.microtorch.nn.modules.lazy import (
    LazyBatchNorm1d,
    LazyBatchNorm2d,
    LazyBatchNorm3d,
    LazyConv1d,
    LazyConv2d,
    LazyConv3d,
    LazyConvTranspose1d,
    LazyConvTranspose2d,
    LazyConvTranspose3d,
    LazyInstanceNorm1d,
    LazyInstanceNorm2d,
    LazyInstanceNorm3d,
    LazyLinear,
    UninitializedBuffer,
    UninitializedParameter,
)
from torchstone.microtorch.nn.modules.linear import Bilinear, Flatten, Identity, Linear, Unflatten
from torchstone.microtorch.nn.modules.linear_cross_entropy import (
    LinearCrossEntropyLoss,
    LinearCrossEntropyOptions,
)
from torchstone.microtorch.nn.modules.losses import (
    BCELoss,
    BCEWithLogitsLoss,
    CosineEmbeddingLoss,
    CrossEntropyLoss,
    CTCLoss,
    GaussianNLLLoss,
    HingeEmbeddingLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MarginRankingLoss,
    MSELoss,
    MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    NLLLoss,
    PoissonNLLLoss,
    SmoothL1Loss,
    SoftMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.nn.modules.normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    GroupNorm,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    LayerNorm,
    RMSNorm,
    SyncBatchNorm,
)
from torchstone.microtorch.nn.modules.padding import (
    CircularPad1d,
    CircularPad2d,
    CircularPad3d,
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad1d,
    ZeroPad2d,
    ZeroPad3d,
)
from torchstone.microtorch.nn.modules.parameter_containers import ParameterDict, ParameterList
from torchstone.microtorch.nn.modules.pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    LPPool1d,
    LPPool2d,
    LPPool3d,
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
    MaxUnpool1d,
    MaxUnpool2d,
    MaxUnpool3d,
)
from torchstone.microtorch.nn.modules.resizing import (
    ChannelShuffle,
    Fold,
    PixelShuffle,
    PixelUnshuffle,
    Unfold,
    Upsample,
    UpsamplingBilinear2d,
    UpsamplingNearest2d,
)
from torchstone.microtorch.nn.modules.rnn import GRU, LSTM, RNN, RNNBase
from torchstone.microtorch.nn.modules.rnn_cells import GRUCell, LSTMCell, RNNCell, RNNCellBase
from torchstone.microtorch.nn.modules.transformer import (
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from torchstone.microtorch.nn.parallel import DataParallel
from torchstone.microtorch.nn.parameter import Buffer, Parameter
