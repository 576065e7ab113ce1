# over: solution.py
# verdict: WA value
# group: nonfinite
# en: One NaN in the window makes its mean useless; leave it out, count it and show it.
# zh: 窗口里有一个 NaN，均值就废了；应排除、计数并报告。
@@
-        finite = [(n, value) for n, value in window if math.isfinite(value)]
+        finite = list(window)
@@
-            "mean": math.fsum(n * value for n, value in finite) / weight if weight else None,
+            "mean": or_none(sum(n * value for n, value in finite) / weight) if weight else None,
@@
         except Exception:  # noqa: BLE001
             return None
+
+
+def or_none(value: float) -> float | None:
+    return value if math.isfinite(value) else None
