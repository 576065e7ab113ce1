# outcome: RTE
# tries: import pip
import importlib

importlib.import_module("pip")
