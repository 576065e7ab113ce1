# over: solution.py
# verdict: WA property
# group: errors
# en: A negative n is taken as a weight.
# zh: 负的 n 被当成了权重。
@@
-        if n < 0:
-            raise ValueError(f"MiniLogger: n must not be negative, got {n}")
