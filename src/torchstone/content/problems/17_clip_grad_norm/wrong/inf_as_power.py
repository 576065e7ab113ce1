# over: solution.py
# verdict: WA value
# group: small
# en: For p = inf the norm is the largest entry; the formula with powers gives 0, 1 or infinity.
# zh: p = inf 时范数就是最大的绝对值；代入幂的公式只会得到 0、1 或无穷。
@@
-import math
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
-    if p == math.inf:
-        return torch.stack([size.amax() for size in sizes]).amax()
