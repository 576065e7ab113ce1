# outcome: TLE
# tries: compute without end
while True:
    pass
