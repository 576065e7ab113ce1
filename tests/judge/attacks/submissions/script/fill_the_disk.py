# outcome: RTE
# tries: fill the job's own folder
# problem: 99
import sys

for number in range(1000):
    with open(f"file{number}", "wb") as file:
        file.write(bytes(8 << 20))


answer = 2 * int(sys.argv[1])
