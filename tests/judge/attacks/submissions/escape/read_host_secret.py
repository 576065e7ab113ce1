# outcome: RTE
# tries: read a world-readable file of the host by its name
open("@SECRET@").read()
