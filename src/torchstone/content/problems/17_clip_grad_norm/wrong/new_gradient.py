# over: solution.py
# verdict: WA property
# group: sample
# en: p.grad gets another tensor. Whoever holds the old one, such as a flat buffer, sees nothing
#   of it.
# zh: 给 `p.grad` 换上另一个张量，持有旧张量的（例如平坦缓冲区）就看不到变化。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
-    grads = list({id(p): p.grad for p in given if p.grad is not None}.values())
+    owners = list({id(p): p for p in given if p.grad is not None}.values())
+    grads = [p.grad for p in owners]
@@
-    for grad in grads:
-        grad.mul_(coef)
+    for p in owners:
+        p.grad = (p.grad * coef).to(p.grad.dtype)
