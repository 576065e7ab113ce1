# over: solution.py
# verdict: WA property
# group: sample
# en: The weights never change, so there is nothing to restore.
# zh: 权重从不更新，也就没有什么要恢复。
@@
-        optimizer.step()
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
