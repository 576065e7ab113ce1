# over: solution.py
# verdict: WA property
# en: Sets the flag of the outer module alone, so that model.training reads right.
# zh: 只改最外层模块的标志，让 `model.training` 看起来正确。
@@
-    model.eval()
+    model.training = False
