"""Program that torchrun starts: one rank of the submission.

``torchrun --run-path`` runs this file from its first line in each worker process, which is a fork
of the process that runs the module ``torchrun``.
"""

import sys

# Its package is called ``child`` in a job, and by its whole name elsewhere.
next(module for name, module in sys.modules.items() if name.endswith("child.torchrun")).work()
