# outcome: FORBIDDEN_OP | RTE
# tries: load the extension once more and arm it anew
import importlib.machinery
import importlib.util
import sys

path = f"{sys.path[0]}/native.so"
loader = importlib.machinery.ExtensionFileLoader("torchstone_bans", path)
module = importlib.util.module_from_spec(importlib.util.spec_from_loader("torchstone_bans", loader))
loader.exec_module(module)
module.arm(2, "another file")
