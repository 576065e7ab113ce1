# over: solution.py
# verdict: WA property
# group: small
# en: num_samples below 1 raises ValueError.
# zh: num_samples 小于 1 要抛 ValueError。
@@
-    if num_samples < 1:
+    if num_samples < 0:
