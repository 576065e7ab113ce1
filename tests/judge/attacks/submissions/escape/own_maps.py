# outcome: RTE
# tries: learn addresses from /proc
open("/proc/self/maps").read()
