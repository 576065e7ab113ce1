# over: solution.py
# verdict: RTE
# group: edge
# en: A parameter that was not used has no gradient: skip it.
# zh: 没有参与计算的参数没有梯度：跳过它。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
-    grads = list({id(p): p.grad for p in given if p.grad is not None}.values())
+    grads = list({id(p): p.grad for p in given}.values())
