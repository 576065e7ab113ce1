# outcome: RTE
# tries: plant a link to a file of the host
import os

os.symlink("@SECRET@", "link")
