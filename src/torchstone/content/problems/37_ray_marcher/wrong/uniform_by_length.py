# over: solution.py
# verdict: WA value
# group: edge
# en: A row of zeros gives every bin the same mass, however wide it is.
# zh: 全零行时每个区间的质量相同，与宽度无关。
@@
-    mass = torch.where(mass.sum(-1, keepdim=True) > 0, mass, 1)
+    mass = torch.where(mass.sum(-1, keepdim=True) > 0, mass, edges.diff(dim=-1))
