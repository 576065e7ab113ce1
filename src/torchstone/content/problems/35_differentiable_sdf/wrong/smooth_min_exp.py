# over: solution.py
# verdict: WA value
# group: small
# en: A log-sum-exp is another family: it shrinks everywhere and has no k = 0.
# zh: log-sum-exp 是另一族函数：处处收缩，也没有 k=0。
@@
-    h = (0.5 + 0.5 * (d2 - d1) / k).clamp(0, 1)
-    return d2 + (d1 - d2) * h - k * h * (1 - h)
+    return -k * torch.logsumexp(torch.stack([-d1 / k, -d2 / k]), 0)
