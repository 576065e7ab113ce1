# over: solution.py
# verdict: WA value
# group: tensor
# en: The rate went through a float32 tensor; a float64 rate lost half of its digits.
# zh: 学习率经过了一次 float32 张量，float64 的精度丢了一半。
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-                group["lr"].fill_(lr)
+                group["lr"].copy_(torch.tensor(lr))
