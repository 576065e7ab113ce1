# over: solution.py
# verdict: WA property
# group: kill
# en: AdamW starts again with zero moments, so the next steps differ.
# zh: AdamW 的两个动量从零开始，之后的步都不同了。
@@
-        optimizer.load_state_dict(state["optimizer"])
@@
-                "optimizer": optimizer.state_dict(),
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
