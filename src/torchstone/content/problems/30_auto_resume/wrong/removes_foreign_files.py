# over: solution.py
# verdict: WA property
# group: moved
# en: It sweeps every file that is no checkpoint; the directory also has files of others.
# zh: 清理时删掉所有不是检查点的文件；目录里也有别人的文件。
@@
-            if name.endswith(".tmp") and NAME.match(name.removesuffix(".tmp")):
+            if not NAME.match(name) and os.path.isfile(f"{self._directory}/{name}"):
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
