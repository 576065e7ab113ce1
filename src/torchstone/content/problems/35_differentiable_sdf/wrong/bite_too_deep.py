# over: solution.py
# verdict: WA value
# group: small
# en: The correction is k h (1 − h), at most k / 4.
# zh: 修正项是 k h (1−h)，最多 k/4。
@@
-    return d2 + (d1 - d2) * h - k * h * (1 - h)
+    return d2 + (d1 - d2) * h - h * (1 - h)
