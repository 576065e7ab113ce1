# over: solution.py
# verdict: WA property
# group: kill
# en: The schedule starts at its beginning, so the learning rate is another one.
# zh: 学习率调度从头开始，学习率就不对了。
@@
-        if scheduler is not None:
-            scheduler.load_state_dict(state["scheduler"])
@@
-                "scheduler": None if scheduler is None else scheduler.state_dict(),
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
