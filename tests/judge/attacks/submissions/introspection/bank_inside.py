# outcome: RTE
# tries: read the oracle where the reference sees it
import os
import sys

for folder in (*sys.path, "/judge"):
    try:
        os.listdir(f"{folder}/bank")
        break
    except OSError:
        continue
else:
    raise PermissionError("the bank is not here")
