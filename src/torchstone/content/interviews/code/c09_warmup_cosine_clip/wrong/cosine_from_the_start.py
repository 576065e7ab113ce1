# over: solution.py
# verdict: WA value
# group: sample
# en: The cosine begins where the warm-up ends; counted from 0 the rate jumps there.
# zh: 余弦从预热结束处开始；若从 0 数起，那里会跳一下。
@@
-    return (1 + math.cos(math.pi * (step - warmup) / (steps - warmup))) / 2
+    return (1 + math.cos(math.pi * step / steps)) / 2
