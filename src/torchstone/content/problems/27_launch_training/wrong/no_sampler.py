# over: solution.py
# verdict: WA value
# group: sample
# en: Without a DistributedSampler every rank trains on the same samples: N times the work, one rank's gradient.
# zh: 没有 DistributedSampler，各 rank 都在训练同样的样本：N 倍的计算，只得到一个 rank 的梯度。
@@
-    loader = DataLoader(dataset, batch_size=args.batch_size, sampler=sampler)
+    order = torch.Generator().manual_seed(args.seed)
+    loader = DataLoader(dataset, batch_size=args.batch_size, shuffle=True, generator=order)
