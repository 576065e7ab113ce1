# outcome: RTE
# tries: let a storage map the file
import torch

torch.UntypedStorage.from_file("@SECRET@", False, 4)
