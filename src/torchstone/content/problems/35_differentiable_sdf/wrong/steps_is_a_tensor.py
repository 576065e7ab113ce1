# over: solution.py
# verdict: WA property
# group: sample
# en: steps is a Python int.
# zh: steps 是 Python int。
@@
-    return TraceResult(t, points, hit, steps)
+    return TraceResult(t, points, hit, torch.tensor(steps))
