# over: solution.py
# verdict: WA value
# group: sample
# en: The sampler has its own seed; all ranks must share it.
# zh: 采样器有自己的种子，各 rank 必须一致。
@@
-    sampler = DistributedSampler(dataset, shuffle=True, seed=args.seed, drop_last=False)
+    own_seed = args.seed + dist.get_rank()
+    sampler = DistributedSampler(dataset, shuffle=True, seed=own_seed, drop_last=False)
