# outcome: RTE
# tries: climb out of the import path
import sys

for folder in [*sys.path, "."]:
    try:
        open(f"{folder}/../../../../../../../../..@SECRET@").read()
        break
    except OSError:
        continue
else:
    raise PermissionError("climbing leads nowhere")
