# outcome: RTE
# tries: plant links to files of the host
# problem: 99
import os
import sys

for link in (os.symlink, os.link):
    try:
        link("@SECRET@", link.__name__)
        open(link.__name__).read()
        break
    except OSError:
        continue
else:
    raise PermissionError("no link leads out")


answer = 2 * int(sys.argv[1])
