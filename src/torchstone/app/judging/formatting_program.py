"""Program that sets its resource limits and executes a formatter; see ``formatting``."""

import os
import resource
import sys

CPU_SECONDS = 3
MEMORY_BYTES = 2 << 30

if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.execv(sys.argv[1], sys.argv[1:])
