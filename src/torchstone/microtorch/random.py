"""The default stream of random numbers, under the names of ``torch.random``."""

from torchstone.microtorch.generator import default_generator as default_generator
from torchstone.microtorch.ops.random import fork_rng as fork_rng
from torchstone.microtorch.ops.random import get_rng_state as get_rng_state
from torchstone.microtorch.ops.random import initial_seed as initial_seed
from torchstone.microtorch.ops.random import manual_seed as manual_seed
from torchstone.microtorch.ops.random import seed as seed
from torchstone.microtorch.ops.random import set_rng_state as set_rng_state
