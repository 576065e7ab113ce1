# over: solution.py
# verdict: WA value | WA property
# group: none
# en: A gradient of zeros is a gradient: the moments age and the parameter moves on.
# zh: 零梯度也是梯度：矩照样衰减，参数照样移动。
@@
-                    if param.grad is not None:
+                    if param.grad is not None and param.grad.count_nonzero():
