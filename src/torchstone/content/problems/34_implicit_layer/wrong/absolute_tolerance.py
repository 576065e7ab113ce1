# over: solution.py
# verdict: WA property
# group: edge
# en: The norm of f(z) - z over the whole batch is compared with tol; judge each sample, relative
#   to its size.
# zh: 拿整个 batch 的 f(z) - z 的范数与 tol 比较；应逐样本、相对其大小判断。
@@
         return 0.0
-    error = (fz - z).flatten(1).norm(dim=1)
-    size = fz.flatten(1).norm(dim=1)
-    return (error / size.clamp(min=1.0)).max().item()
+    return (fz - z).norm().item()
 
