# over: solution.py
# verdict: WA value
# group: sample
# en: Masking by log(1 - w): clamped, it picks the first again as tau falls; unclamped, it ties with the second.
# zh: 用 log(1−w) 屏蔽：τ 变小后，截断则重复第一近邻，不截断则与第二近邻打平。
@@
-    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
+    logits, slots = -d / temperature, []
+    for _ in range(k):
+        slots.append(torch.softmax(logits, dim=-1))
+        logits = logits + (1 - slots[-1]).clamp(min=1e-12).log()
+    weights = torch.stack(slots, dim=-2)
