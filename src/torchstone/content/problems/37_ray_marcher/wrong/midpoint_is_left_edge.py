# over: solution.py
# verdict: WA value
# group: sample
# en: Without u a sample lies in the middle of its bin.
# zh: 没有 u 时，样本位于区间中点。
@@
-    return edges[:, :-1] + (0.5 if u is None else u) * edges.diff(dim=-1)
+    return edges[:, :-1] + (0.0 if u is None else u) * edges.diff(dim=-1)
