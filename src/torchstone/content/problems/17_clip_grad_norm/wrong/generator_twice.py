# over: solution.py
# verdict: WA value
# group: small
# en: A generator can be walked once: the second walk finds no gradient to scale.
# zh: 生成器只能遍历一次：第二遍已经没有梯度可缩放。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
-    for grad in grads:
-        grad.mul_(coef)
+    for p in given:
+        if p.grad is not None:
+            p.grad.mul_(coef)
