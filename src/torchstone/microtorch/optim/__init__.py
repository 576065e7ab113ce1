"""Optimizers: SGD, Adam, AdamW, RMSprop, LBFGS and others, as in ``torch.optim``."""

from torchstone.microtorch.optim import lr_scheduler as lr_scheduler
from torchstone.microtorch.optim import swa_utils as swa_utils
from torchstone.microtorch.optim.adadelta import Adadelta as Adadelta
from torchstone.microtorch.optim.adagrad import Adagrad as Adagrad
from torchstone.microtorch.optim.adam import Adam as Adam
from torchstone.microtorch.optim.adam import AdamW as AdamW
from torchstone.microtorch.optim.adamax import Adamax as Adamax
from torchstone.microtorch.optim.asgd import ASGD as ASGD
from torchstone.microtorch.optim.lbfgs import LBFGS as LBFGS
from torchstone.microtorch.optim.nadam import NAdam as NAdam
from torchstone.microtorch.optim.optimizer import Optimizer as Optimizer
from torchstone.microtorch.optim.radam import RAdam as RAdam
from torchstone.microtorch.optim.rmsprop import RMSprop as RMSprop
from torchstone.microtorch.optim.rprop import Rprop as Rprop
from torchstone.microtorch.optim.sgd import SGD as SGD
