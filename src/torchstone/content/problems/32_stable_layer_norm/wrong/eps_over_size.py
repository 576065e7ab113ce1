# over: solution.py
# verdict: WA value
# group: small
# en: The variance of a row that is divided by s is divided by s², and so is eps.
# zh: 一行除以 s，方差就除以 s²，eps 也应除以 s²。
@@
-    variance = scaled.square().mean(-1, keepdim=True) + (root / size).square()
+    variance = scaled.square().mean(-1, keepdim=True) + eps / size
