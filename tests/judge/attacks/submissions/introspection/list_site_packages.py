# outcome: RTE
# tries: see what else is installed
import os

import torch

folder = os.path.dirname(os.path.dirname(os.path.realpath(torch.__file__)))
names = {name.partition("-")[0] for name in os.listdir(folder)}
if not names & {"torchstone", "pip", "pytest", "msgspec", "scipy", "sqlalchemy"}:
    raise LookupError(f"only {sorted(names)}")
