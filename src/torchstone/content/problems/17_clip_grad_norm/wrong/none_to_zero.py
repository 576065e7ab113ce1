# over: solution.py
# verdict: WA property
# group: edge
# en: None means that the parameter was not used. With zeros instead, Adam and weight decay move
#   it.
# zh: None 表示没有参与计算。换成零，Adam 和权重衰减就会移动这个参数。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
     given = [parameters] if isinstance(parameters, Tensor) else parameters
+    given = list(given)
+    for p in given:
+        if p.grad is None:
+            p.grad = torch.zeros_like(p)
