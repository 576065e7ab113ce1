# outcome: MLE
# tries: ask torch for more than there is
import torch

held = torch.ones(25 << 30)
