"""Program that torchrun starts: one rank of the submission.

``torchrun --run-path`` runs this file from its first line in each worker process, which is a fork
of the process that runs the module ``torchrun``.
"""

import sys

sys.modules["child.torchrun"].work()
