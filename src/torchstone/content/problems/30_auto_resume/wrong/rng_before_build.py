# over: solution.py
# verdict: WA property
# group: kill
# en: `build` draws the initial weights: generators that are restored before it have
#     moved on.
# zh: `build` 会抽取初始权重：在它之前恢复的生成器又往前走了。
@@
     torch.manual_seed(seed)
+    loaded = manager.load()
+    if loaded is not None:
+        random.setstate(loaded[1]["random"])
+        np.random.set_state(loaded[1]["numpy"])
+        torch.set_rng_state(loaded[1]["torch"])
@@
-    loaded = manager.load()
@@
-        # Last, because `build` and loading may draw numbers.
-        random.setstate(state["random"])
-        np.random.set_state(state["numpy"])
-        torch.set_rng_state(state["torch"])
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
