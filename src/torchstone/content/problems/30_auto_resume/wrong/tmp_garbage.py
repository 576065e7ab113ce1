# over: solution.py
# verdict: WA property
# group: kill-in-save
# en: Every killed save leaves a temporary file under a name of its own; nobody removes
#     them.
# zh: 每次被杀的保存都会留下一个临时文件，没有人清理。
@@
-        partial = f"{path}.tmp"
+        partial = f"{path}.{os.urandom(4).hex()}.tmp"
@@
-        """Remove what is too old, and what a killed save has left."""
+        """Remove what is too old."""
@@
-        for name in os.listdir(self._directory):
-            if name.endswith(".tmp") and NAME.match(name.removesuffix(".tmp")):
-                os.unlink(f"{self._directory}/{name}")
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
