# over: solution.py
# verdict: WA value
# group: sample
# en: Outside the corners max(q) is only a lower bound, not the distance.
# zh: 角外的 max(q) 只是下界，不是距离。
@@
-    return norm(q.clamp(min=0)) + q.amax(-1).clamp(max=0)
+    return q.amax(-1)
