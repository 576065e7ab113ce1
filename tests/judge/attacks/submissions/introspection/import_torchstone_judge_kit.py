# outcome: RTE
# tries: import torchstone.judge.kit
import importlib

importlib.import_module("torchstone.judge.kit")
