# over: solution.py
# verdict: WA property
# group: small
# en: The decay is added to a new tensor; `p.grad` stays as it is.
# zh: 衰减项要加到新张量上，`p.grad` 保持原样。
@@
-            grad = grad.add(param, alpha=decay)
+            grad = grad.add_(param, alpha=decay)
