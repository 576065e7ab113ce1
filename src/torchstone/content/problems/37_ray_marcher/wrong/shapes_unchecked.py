# over: solution.py
# verdict: WA property
# group: small
# en: Shapes that do not match raise ValueError, also where they would broadcast.
# zh: 形状不匹配要抛 ValueError，即使恰好能广播。
@@
-    if sigma.shape != t.shape or rgb.shape[:-1] != sigma.shape:
+    if rgb.shape[1] != t.shape[1]:
