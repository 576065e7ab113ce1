# over: solution.py
# verdict: WA property
# group: random
# en: It sets the generators back before every step, so every step draws the same numbers.
# zh: 每一步之前都把生成器重置，于是每一步抽到的数都相同。
@@
         epoch, position = divmod(step, num_batches)
+        random.seed(seed)
+        np.random.seed(seed % 2**32)
+        torch.manual_seed(seed)
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
