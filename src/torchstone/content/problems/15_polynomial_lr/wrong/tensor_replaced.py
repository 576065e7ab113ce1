# over: solution.py
# verdict: WA property
# group: tensor
# en: A number replaced the tensor of the rate; whoever holds the tensor sees no new rate.
# zh: 用数值换掉了存放学习率的张量；持有该张量的一方再也看不到新值。
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-            if isinstance(group["lr"], Tensor):
-                group["lr"].fill_(lr)
-            else:
-                group["lr"] = lr
+            group["lr"] = lr
