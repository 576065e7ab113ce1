# outcome: RTE
# tries: change the root
import os

os.chroot("/")
