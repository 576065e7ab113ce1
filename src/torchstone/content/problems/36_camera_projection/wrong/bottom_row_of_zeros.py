# over: solution.py
# verdict: WA value
# group: sample
# en: The bottom row of a motion is 0 0 0 1; zeros are the bottom row of the twist.
# zh: 运动矩阵的最后一行是 0 0 0 1；全 0 是 twist 矩阵的最后一行。
@@
-    bottom = torch.tensor([0.0, 0.0, 0.0, 1.0], dtype=xi.dtype).expand(*xi.shape[:-1], 1, 4)
+    bottom = xi.new_zeros(*xi.shape[:-1], 1, 4)
