# outcome: RTE
# tries: open relative to a folder that may be read
import os

import torch

folder = os.open(os.path.dirname(torch.__file__), os.O_RDONLY | os.O_DIRECTORY)
os.close(os.open("../../../../../../../../..@SECRET@", os.O_RDONLY, dir_fd=folder))
