# outcome: RTE
# tries: plant a hard link
import os
import sys

os.link(sys.executable or "/dev/null", "/tmp/torchstone-link")
os.unlink("/tmp/torchstone-link")
