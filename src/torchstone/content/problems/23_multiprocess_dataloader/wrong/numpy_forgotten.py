# over: solution.py
# verdict: WA property
# group: random
# en: torch.manual_seed does not seed numpy or random.
# zh: torch.manual_seed 不会给 numpy 和 random 设种子。
@@
-        random.seed(draw.getrandbits(64))
-        np.random.seed(draw.getrandbits(32))
