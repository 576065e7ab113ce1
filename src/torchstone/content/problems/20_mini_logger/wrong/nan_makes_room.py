# over: solution.py
# verdict: WA value
# group: nonfinite
# en: A call whose value is not finite is a call that had the metric: it takes a place in the
#   window.
# zh: 值为非有限的调用也含有该指标，要占窗口的一个位置。
@@
-        window.extend((n, value) for (n, _), value in zip(new, values, strict=True))
+        pairs = zip(new, values, strict=True)
+        window.extend((n, value) for (n, _), value in pairs if math.isfinite(value))
