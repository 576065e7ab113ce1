# outcome: RTE
# tries: import torchstone.core.verdict
import importlib

importlib.import_module("torchstone.core.verdict")
