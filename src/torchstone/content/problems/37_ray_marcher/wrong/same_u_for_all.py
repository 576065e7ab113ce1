# over: solution.py
# verdict: WA value
# group: sample
# en: Each ray is stratified by its own numbers.
# zh: 每条光线有各自的抖动。
@@
-    return edges[:, :-1] + (0.5 if u is None else u) * edges.diff(dim=-1)
+    return edges[:, :-1] + (0.5 if u is None else u[:1]) * edges.diff(dim=-1)
