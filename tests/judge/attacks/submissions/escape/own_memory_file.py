# outcome: RTE
# tries: write the own memory through /proc
open("/proc/self/mem", "r+b", 0)
