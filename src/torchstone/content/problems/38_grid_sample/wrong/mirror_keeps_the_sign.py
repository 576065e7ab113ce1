# over: solution.py
# verdict: WA grad
# group: grad
# en: In a mirrored zone a position moves backwards: the gradient changes its sign.
# zh: 镜像区内位置反向移动：梯度要变号。
@@
-        x = low + span - ((x - low) % (2 * span) - span).abs()
+        folded = low + span - ((x - low) % (2 * span) - span).abs()
+        x = x + (folded - x).detach()
