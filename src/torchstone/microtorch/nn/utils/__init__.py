"""Gradient clipping, parametrizations and padded sequences, as in ``torch.nn.utils``."""

from torchstone.microtorch.nn.utils import parametrizations as parametrizations
from torchstone.microtorch.nn.utils import parametrize as parametrize
from torchstone.microtorch.nn.utils import rnn as rnn
from torchstone.microtorch.nn.utils.clip_grad import clip_grad_norm_ as clip_grad_norm_
from torchstone.microtorch.nn.utils.clip_grad import clip_grad_value_ as clip_grad_value_
from torchstone.microtorch.nn.utils.clip_grad import clip_grads_with_norm_ as clip_grads_with_norm_
from torchstone.microtorch.nn.utils.clip_grad import get_total_norm as get_total_norm
from torchstone.microtorch.nn.utils.convert_parameters import (
    parameters_to_vector as parameters_to_vector,
)
from torchstone.microtorch.nn.utils.convert_parameters import (
    vector_to_parameters as vector_to_parameters,
)
from torchstone.microtorch.nn.utils.normed_weights import (
    remove_spectral_norm as remove_spectral_norm,
)
from torchstone.microtorch.nn.utils.normed_weights import remove_weight_norm as remove_weight_norm
from torchstone.microtorch.nn.utils.normed_weights import spectral_norm as spectral_norm
from torchstone.microtorch.nn.utils.normed_weights import weight_norm as weight_norm
