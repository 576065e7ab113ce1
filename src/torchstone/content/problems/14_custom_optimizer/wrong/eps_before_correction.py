# over: solution.py
# verdict: WA value
# group: small
# en: eps is added after the correction; added to the raw root, it weighs more at first.
# zh: eps 加在校正之后；加到未校正的平方根上，最初几步里它的分量就变大了。
@@
-        root = (square / correction2).sqrt_().add_(group["eps"])
+        root = square.sqrt().add_(group["eps"]).div_(correction2**0.5)
