# over: solution.py
# verdict: WA property
# group: kill
# en: `random` and `numpy` have generators of their own, which are not restored.
# zh: `random` 和 `numpy` 各有自己的随机数生成器，这里没有恢复。
@@
-        random.setstate(state["random"])
-        np.random.set_state(state["numpy"])
@@
-                "random": random.getstate(),
-                "numpy": np.random.get_state(),
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
