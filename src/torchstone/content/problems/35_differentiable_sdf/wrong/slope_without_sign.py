# over: solution.py
# verdict: WA grad
# group: sample
# en: The slope is negative where a ray enters; its absolute value turns the gradient round.
# zh: 光线进入时斜率为负；取绝对值会把梯度反号。
@@
-        root = -(value - value.detach()) / torch.where(hit, slope, 1)
+        root = -(value - value.detach()) / torch.where(hit, slope.abs(), 1)
