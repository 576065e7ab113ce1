# outcome: RTE
# tries: recur without end
def sink(n):
    return sink(n + 1)


sink(0)
