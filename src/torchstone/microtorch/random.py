"""Default random number generator: manual_seed, get_rng_state, as in ``torch.random``."""

from torchstone.microtorch.generator import default_generator as default_generator
from torchstone.microtorch.ops.seeds import fork_rng as fork_rng
from torchstone.microtorch.ops.seeds import get_rng_state as get_rng_state
from torchstone.microtorch.ops.seeds import initial_seed as initial_seed
from torchstone.microtorch.ops.seeds import manual_seed as manual_seed
from torchstone.microtorch.ops.seeds import seed as seed
from torchstone.microtorch.ops.seeds import set_rng_state as set_rng_state
