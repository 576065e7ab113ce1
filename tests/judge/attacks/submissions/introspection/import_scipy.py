# outcome: RTE
# tries: import scipy
import importlib

importlib.import_module("scipy")
