# over: solution.py
# verdict: WA grad
# group: protocol
# en: Stops at the first bad gradient, so some are unscaled and some are not.
# zh: 遇到第一个坏梯度就停，于是有的反缩放了，有的没有。
@@
             for grad in grads:
+                if not torch.isfinite(grad).all():
+                    break
