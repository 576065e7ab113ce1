# outcome: FORBIDDEN_OP | RTE
# tries: start a program without fork
import os

os.posix_spawn("/bin/true", ["true"], {})
