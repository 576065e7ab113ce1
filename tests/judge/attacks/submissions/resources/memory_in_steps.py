# outcome: MLE | TLE
# tries: touch memory in steps, each of which is allowed
held = []
for _ in range(64):
    held.append(bytearray(b"x") * (32 << 20))
