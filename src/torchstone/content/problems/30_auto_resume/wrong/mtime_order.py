# over: solution.py
# verdict: WA property
# group: moved
# en: It takes the file with the newest time stamp; copies and touch change those, and
#     the number of the step does not lie.
# zh: 按修改时间挑最新的文件；复制和 touch 会改变时间，步数才可靠。
@@
-        for step in reversed(self.steps()):
+        for step in sorted(self.steps(), key=self._written, reverse=True):
@@
         return None
+
+    def _written(self, step: int) -> int:
+        return os.stat(self._path(step)).st_mtime_ns
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
