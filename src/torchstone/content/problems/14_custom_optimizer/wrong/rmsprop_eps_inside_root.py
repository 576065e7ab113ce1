# over: solution.py
# verdict: WA value
# group: rmsprop
# en: eps is added to the root, not under it.
# zh: RMSprop 的 eps 加在平方根之外，不是根号之内。
@@
-        direction = grad / square.sqrt().add_(group["eps"])
+        direction = grad / square.add(group["eps"]).sqrt()
