# over: solution.py
# verdict: WA value
# group: edge
# en: A mask that multiplies keeps NaN, as 0 times NaN is NaN: select the weights with where.
# zh: 用乘法加掩码会留下 NaN，因为 0·NaN 仍是 NaN：权重要用 where 选取。
@@
-    if padding_mode != "reflection":
+    if padding_mode == "border":
@@
-    return position.clamp(0, size - 1).long(), torch.where(inside, weight, 0.0)
+    return position.clamp(0, size - 1).long(), weight * inside
