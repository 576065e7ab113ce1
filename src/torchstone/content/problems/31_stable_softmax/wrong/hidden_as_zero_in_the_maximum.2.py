# over: good/float64_undetached.py
# verdict: WA value
# group: edge
# en: float64 underflows as well, at -745: a hidden entry must not count as 0 in the maximum.
# zh: float64 到 −745 也会下溢：取最大值时，被遮的元素不能按 0 计。
@@
-        top = torch.where(alive, wide, -torch.inf).amax(dim, keepdim=True)
+        top = wide.amax(dim, keepdim=True)
