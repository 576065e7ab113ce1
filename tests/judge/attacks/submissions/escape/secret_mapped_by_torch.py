# outcome: RTE
# tries: let torch map the file, past Python's own open
import torch

torch.from_file("@SECRET@", size=4, dtype=torch.uint8)
