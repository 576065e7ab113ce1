"""Optimisers, under the names of ``torch.optim``."""

from torchstone.microtorch.optim import lr_scheduler as lr_scheduler
from torchstone.microtorch.optim.adagrad import Adagrad as Adagrad
from torchstone.microtorch.optim.adam import Adam as Adam
from torchstone.microtorch.optim.adam import AdamW as AdamW
from torchstone.microtorch.optim.optimizer import Optimizer as Optimizer
from torchstone.microtorch.optim.rmsprop import RMSprop as RMSprop
from torchstone.microtorch.optim.sgd import SGD as SGD
