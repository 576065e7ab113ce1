# over: solution.py
# verdict: WA value
# group: uneven
# en: drop_last of the sampler leaves samples out; here the ranks are padded by wrapping around.
# zh: 采样器的 drop_last 会丢掉样本；这里应从头补齐各 rank。
@@
-    sampler = DistributedSampler(dataset, shuffle=True, seed=args.seed, drop_last=False)
+    sampler = DistributedSampler(dataset, shuffle=True, seed=args.seed, drop_last=True)
