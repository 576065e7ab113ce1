# over: solution.py
# verdict: WA property
# group: random
# en: Python's random module has a global state of its own, which the caller neither seeded nor
#  expects to move.
# zh: Python 的 random 模块有自己的全局状态，调用者没有给它设种子，也不希望它被推进。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
 import math
+import random
@@
-    shape = torch.full((2,), alpha, dtype=torch.float64)
-    first, second = torch._standard_gamma(shape, generator=generator).tolist()
-    return first / (first + second)
+    return random.betavariate(alpha, alpha)
