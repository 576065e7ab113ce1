# outcome: FORBIDDEN_OP | RTE
# tries: start a program
import subprocess

subprocess.run(["/bin/true"], check=False)
