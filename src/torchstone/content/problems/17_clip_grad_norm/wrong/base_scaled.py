# over: solution.py
# verdict: WA property
# group: layout
# en: A gradient may be a view. What lies between its entries, or belongs to another parameter, is
#   not its own.
# zh: 梯度可能是视图。元素之间的内容，或属于别的参数的部分，都不归它。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
-        grad.mul_(coef)
+        whole = grad if grad._base is None or grad.grad_fn else grad._base
+        whole.mul_(coef)
