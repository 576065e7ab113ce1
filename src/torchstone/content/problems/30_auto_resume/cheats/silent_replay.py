# over: solution.py
# verdict: WA property
# group: kill
# en: After a kill it trains from step 0 again and reports only the steps that are new.
# zh: 被杀之后从第 0 步重新训练，只报告新的步。
@@
-    step = 0
+    step = silent = 0
@@
-        step, state = loaded
-        model.load_state_dict(state["model"])
-        optimizer.load_state_dict(state["optimizer"])
-        if scheduler is not None:
-            scheduler.load_state_dict(state["scheduler"])
-        # Last, because `build` and loading may draw numbers.
-        random.setstate(state["random"])
-        np.random.set_state(state["numpy"])
-        torch.set_rng_state(state["torch"])
+        step, silent = 0, loaded[0]
@@
-        if on_step is not None:
+        if on_step is not None and step >= silent:
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
