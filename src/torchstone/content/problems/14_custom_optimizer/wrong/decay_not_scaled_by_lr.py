# over: solution.py
# verdict: WA value
# group: small
# en: Decoupled decay shrinks a weight by lr · weight_decay in each step, not by weight_decay.
# zh: 解耦的衰减每步收缩 lr · weight_decay，而不是 weight_decay。
@@
-            param.mul_(1 - lr * decay)
+            param.mul_(1 - decay)
