# over: solution.py
# verdict: WA value
# group: edge
# en: 0 times NaN is NaN: alpha = 0 is no reason to skip b.
# zh: 0·NaN 为 NaN：alpha = 0 不能跳过 b。
@@
     out = torch.empty_like(a)
+    if alpha == 0.0:
+        return out.copy_(a)
