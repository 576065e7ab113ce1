# over: solution.py
# verdict: WA value
# group: sample
# en: --batch-size is per rank here: the global batch is N times as large.
# zh: 这里 batch-size 是每个 rank 的；全局批是它的 N 倍。
@@
-    loader = DataLoader(dataset, batch_size=args.batch_size, sampler=sampler)
+    of_rank = max(args.batch_size // dist.get_world_size(), 1)
+    loader = DataLoader(dataset, batch_size=of_rank, sampler=sampler)
