# over: solution.py
# verdict: WA property
# group: full-disk
# en: It removes the old checkpoint before the new one is safe.
# zh: 新检查点还没有安全落盘，就先删掉旧的。
@@
         path = self._path(step)
+        for old in self.steps()[: -self._keep_last + 1 or None]:
+            os.unlink(self._path(old))
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
