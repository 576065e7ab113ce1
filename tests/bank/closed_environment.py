"""Run the tests of an exported repository where nothing but its requirements can be imported."""

import os
import subprocess
import sys
from pathlib import Path

# Runs pytest as in an environment with nothing but what the repository asks for: no other module
# that is installed here can be imported, Torchstone included.
ALONE = """
import importlib.metadata as metadata, re, sys, pytest

def name_of(requirement):
    return re.match("[A-Za-z0-9._-]+", requirement)[0].lower().replace("_", "-")

wanted, waiting = set(), [name_of(line) for line in open("requirements.txt")]
while waiting:
    name = waiting.pop()
    if name in wanted:
        continue
    wanted.add(name)
    try:
        needs = metadata.requires(name) or ()
    except metadata.PackageNotFoundError:  # it is for another system
        continue
    waiting += [name_of(each) for each in needs if "extra ==" not in each]

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        is_closed = name.partition(".")[0] in closed
        return None if is_closed else self.finder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(self.finder, name)

owners = metadata.packages_distributions()
closed = {name for name, dists in owners.items()
          if not any(dist.lower().replace("_", "-") in wanted for dist in dists)} - {"torchstone"}
sys.path = [each for each in sys.path if not each.rstrip("/").endswith("/src")]
found = [each for each in sys.meta_path if "editable" not in repr(each).lower()]
sys.meta_path = [Without(each) for each in found]
sys.exit(pytest.main(sys.argv[1:]))
"""


def run_tests(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", ALONE, "-q", "-p", "no:cacheprovider", *arguments]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
