# over: solution.py
# verdict: WA value
# group: small
# en: A coordinate far outside bounces many times: take it modulo twice the span.
# zh: 远处的坐标要来回反射多次：对两倍跨度取模。
@@
-        x = low + span - ((x - low) % (2 * span) - span).abs()
+        x = low + span - ((x - low).abs() - span).abs()
