# over: solution.py
# verdict: WA property
# group: kill
# en: The file has the weights alone; momentum, schedule and generators are part of
#     the state of training.
# zh: 文件里只有权重；动量、学习率调度和随机数状态同样是训练状态。
@@
-        optimizer.load_state_dict(state["optimizer"])
-        if scheduler is not None:
-            scheduler.load_state_dict(state["scheduler"])
-        # Last, because `build` and loading may draw numbers.
-        random.setstate(state["random"])
-        np.random.set_state(state["numpy"])
-        torch.set_rng_state(state["torch"])
@@
-                "optimizer": optimizer.state_dict(),
-                "scheduler": None if scheduler is None else scheduler.state_dict(),
-                "random": random.getstate(),
-                "numpy": np.random.get_state(),
-                "torch": torch.get_rng_state(),
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
