# over: solution.py
# verdict: WA property
# group: edge
# en: Arguments that do not fit raise ValueError here; torch's own function raises RuntimeError for some.
# zh: 参数不合时这里抛出 ValueError；PyTorch 自己的函数有时抛出 RuntimeError。
@@
     if grid.shape[-1] != rank - 2 or grid.shape[0] != input.shape[0]:
-        raise ValueError(
+        raise RuntimeError(
             f"grid_sample: a grid {tuple(grid.shape)} does not fit an input {tuple(input.shape)}."
