# over: solution.py
# verdict: WA property
# group: manager
# en: It sorts names, not numbers: a ninth digit comes before the eighth.
# zh: 按文件名排序而不是按步数：九位数会排到八位数前面。
@@
-        return sorted(step for step in found if os.path.isfile(self._path(step)))
+        return sorted(filter(lambda step: os.path.isfile(self._path(step)), found), key=self._path)
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
