"""Print as JSON what of torch there is and what is allowed: run in a process like a zygote parent.

Importing what a zygote imports takes seconds, and the tests' own process imports more.
"""

import json
import os
import sys
import tomllib


def main():
    sys.path.insert(0, sys.argv[1])
    from child.zygote import preloading

    preloading.import_torch()
    import torch
    from child.bans import surface, survey

    with open(os.path.join(sys.argv[1], "native", "allowed.toml"), "rb") as file:
        table = tomllib.load(file)
    folder = os.path.dirname(torch.__file__)
    allowed = surface.Allowed(table, folder)
    functions = survey.functions_below(folder)
    found = {
        "builtins": sorted(name for name, _ in surface.builtins_of_torch()),
        "missing_files": [
            name for name in table["files"] if not os.path.exists(os.path.join(folder, name))
        ],
        "functions": sorted(
            f"{item.__module__}.{item.__qualname__}"
            for items in functions.values()
            for item in items
        ),
        "hidden": sorted(path.removeprefix(f"{folder}/") for path in allowed.hidden_paths()),
        "is_cpu": torch.version.cuda is None,
        "torch": torch.__version__,
    }
    print(json.dumps(found))  # noqa: T201


if __name__ == "__main__":
    main()
