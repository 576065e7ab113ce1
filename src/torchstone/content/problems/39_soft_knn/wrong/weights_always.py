# over: solution.py
# verdict: WA property
# group: sample
# en: weights is None unless it is asked for.
# zh: 没有要求时，weights 应为 None。
@@
-        return select(query, points, values, temperature, k)._replace(weights=None)
+        return select(query, points, values, temperature, k)
