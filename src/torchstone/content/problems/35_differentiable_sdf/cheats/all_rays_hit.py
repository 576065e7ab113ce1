# over: solution.py
# verdict: WA value | WA property
# group: sample
# en: All rays are reported as hits.
# zh: 所有光线都报告为命中。
@@
-    return TraceResult(t, points, hit, steps)
+    return TraceResult(t, points, torch.ones_like(hit), steps)
