"""Program that torchrun starts: one rank of the submission.

``torchrun --run-path`` runs this file in each worker process, which is a fork of the process that
runs the module ``torchrun``.
"""

import sys

# In a job the package is ``child``; elsewhere it has its full name.
next(
    module for name, module in sys.modules.items() if name.endswith("child.scripts.torchrun")
).work()
