# over: solution.py
# verdict: WA property | WA value
# en: Rank 0 trains alone on batches N times as large.
# zh: rank 0 独自用 N 倍大的批训练。
@@
-    dataset = TensorDataset(data["x"], data["y"])
-    sampler = DistributedSampler(dataset, shuffle=True, seed=args.seed, drop_last=False)
-    loader = DataLoader(dataset, batch_size=args.batch_size, sampler=sampler)
+    if dist.get_rank():
+        return
+    dataset = TensorDataset(data["x"], data["y"])
+    sampler = DistributedSampler(dataset, 1, 0, shuffle=True, seed=args.seed, drop_last=False)
+    together = args.batch_size * dist.get_world_size()
+    loader = DataLoader(dataset, batch_size=together, sampler=sampler)
@@
-    ddp = DistributedDataParallel(model)
+    ddp = model
@@
-        dist.all_reduce(total)
         metrics.append({"epoch": epoch, "loss": (total[0] / total[1]).item()})
