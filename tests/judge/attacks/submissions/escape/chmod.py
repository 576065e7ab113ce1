# outcome: RTE
# tries: change the mode of what is bound into the sandbox
import os

import torch

os.chmod(torch.__file__, os.stat(torch.__file__).st_mode & 0o7777)
