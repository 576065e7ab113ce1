# outcome: RTE
# tries: let the reader of checkpoints open the file
import torch

try:
    torch._C.PyTorchFileReader("@SECRET@")
except RuntimeError as error:
    # It opened the file if it complains about what is in it.
    if "archive" not in str(error) or "open" in str(error):
        raise
