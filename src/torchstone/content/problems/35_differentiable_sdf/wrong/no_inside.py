# over: solution.py
# verdict: WA value
# group: edge
# en: max(q, 0) alone is zero everywhere inside: no sign, no normals.
# zh: 只用 max(q, 0)，内部全为 0，失去符号与法线。
@@
-    return norm(q.clamp(min=0)) + q.amax(-1).clamp(max=0)
+    return norm(q.clamp(min=0))
