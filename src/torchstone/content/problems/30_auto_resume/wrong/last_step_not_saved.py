# over: solution.py
# verdict: WA property
# group: plain
# en: Nothing is saved after the last step, so a finished training begins again.
# zh: 最后一步之后没有保存，训练明明已完成，却会重新开始。
@@
-        if step % save_every == 0 or step == total_steps:
+        if step % save_every == 0:
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
