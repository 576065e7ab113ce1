# over: solution.py
# verdict: WA value
# group: edge
# en: A parameter that is listed twice has one gradient: it counts once and is scaled once.
# zh: 列出两次的参数只有一个梯度：计一次，缩放一次。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
-    # By identity: a parameter that occurs twice has one gradient.
-    grads = list({id(p): p.grad for p in given if p.grad is not None}.values())
+    grads = [p.grad for p in given if p.grad is not None]
