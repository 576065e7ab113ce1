# over: solution.py
# verdict: WA value
# group: small
# en: 0 is false in Python: `eps or 1e-5` replaces an eps that was given.
# zh: Python 里 0 为假：`eps or 1e-5` 会替换掉传入的 0。
@@
-    root = math.sqrt(eps)
+    root = math.sqrt(eps or 1e-5)
