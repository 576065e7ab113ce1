# over: solution.py
# verdict: WA grad
# group: edge
# en: where() hides a value, not its gradient: 0 · (1 / 0) of a miss is NaN.
# zh: where() 只遮住数值，遮不住梯度：未命中处 0·(1/0) 是 NaN。
@@
-        root = -(value - value.detach()) / torch.where(hit, slope, 1)
+        root = -(value - value.detach()) / slope
