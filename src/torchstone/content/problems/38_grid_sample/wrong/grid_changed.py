# over: solution.py
# verdict: INPUT_MUTATED
# group: sample
# en: The grid is moved to pixels in place: it belongs to the caller.
# zh: 把 grid 就地换算成像素坐标：它属于调用者。
@@
     sizes = input.shape[2:]
+    grid.data.mul_(1.0 + torch.finfo(grid.dtype).eps)
     places = grid.flatten(1, -2).unbind(-1)
