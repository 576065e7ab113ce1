"""Where Node is: on the path, or in the environment, which `tools/page.sh` gives one if need be."""

import os
import sys
from pathlib import Path

WITH_NODE = os.environ | {
    "PATH": os.pathsep.join([os.environ["PATH"], str(Path(sys.executable).parent)])
}
