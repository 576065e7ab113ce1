# outcome: RTE | MLE
# tries: raise an exception with a message of many MiB
raise ValueError("x" * (64 << 20))
