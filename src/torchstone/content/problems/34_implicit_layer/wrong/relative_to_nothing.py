# over: solution.py
# verdict: WA property
# group: edge
# en: The residual is divided by the norm of f(z) even where that is below 1; the divisor is
#   max(1, |f(z)|).
# zh: f(z) 的范数小于 1 时仍用它作除数；除数应为 max(1, |f(z)|)。
@@
     size = fz.flatten(1).norm(dim=1)
-    return (error / size.clamp(min=1.0)).max().item()
+    return (error / size).max().item()
 
