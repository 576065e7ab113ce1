# outcome: FORBIDDEN_OP | RTE
# tries: load a library of its own
# problem: 99
import importlib.machinery
import importlib.util
import shutil
import sys

shutil.copy(f"{sys.path[0]}/native.so", "copied.so")
loader = importlib.machinery.ExtensionFileLoader("torchstone_bans", "./copied.so")
spec = importlib.util.spec_from_file_location("torchstone_bans", "./copied.so", loader=loader)
loader.create_module(spec)
answer = 2 * int(sys.argv[1])
