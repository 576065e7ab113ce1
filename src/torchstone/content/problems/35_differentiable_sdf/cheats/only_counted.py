# over: solution.py
# verdict: WA property
# group: sample
# en: Says that it took ten steps, whatever it took.
# zh: 不管走了几步，都说是十步。
@@
-    return TraceResult(t, points, hit, steps)
+    return TraceResult(t, points, hit, min(10, max_steps))
