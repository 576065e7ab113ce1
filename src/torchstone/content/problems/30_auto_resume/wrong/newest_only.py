# over: solution.py
# verdict: WA property
# group: damage
# en: It tries the newest file alone; if that is damaged it starts from zero, although
#     the one before is intact.
# zh: 只看最新的文件；它一损坏就从头开始，而前一个检查点是完好的。
@@
-        for step in reversed(self.steps()):
+        for step in self.steps()[-1:]:
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
