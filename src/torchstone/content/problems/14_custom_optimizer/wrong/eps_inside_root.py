# over: solution.py
# verdict: WA value
# group: small
# en: eps is added to the root, not under it.
# zh: eps 加在平方根之外，不是根号之内。
@@
-        root = (square / correction2).sqrt_().add_(group["eps"])
+        root = (square / correction2).add_(group["eps"]).sqrt_()
