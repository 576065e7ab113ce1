# over: solution.py
# verdict: WA grad
# en: The gradient of the grid by differences of two samples.
# zh: grid 的梯度用两次采样之差近似。
@@
 CUBIC = -0.75
+
+
+class Plain(Tensor):
+    pass
+
+
+class Differenced(torch.autograd.Function):
+    @staticmethod
+    def forward(ctx, input: Tensor, grid: Tensor, *how) -> Tensor:
+        ctx.save_for_backward(input, grid)
+        ctx.how = how
+        return grid_sample(input, grid.as_subclass(Plain), *how).as_subclass(Tensor)
+
+    @staticmethod
+    def backward(ctx, grad: Tensor):
+        input, grid = (each.detach() for each in ctx.saved_tensors)
+        slopes = []
+        for axis in range(grid.shape[-1]):
+            step = torch.zeros(grid.shape[-1], dtype=grid.dtype)
+            step[axis] = 1e-3
+            ends = [
+                grid_sample(input, place.as_subclass(Plain), *ctx.how).as_subclass(Tensor)
+                for place in (grid + step, grid - step)
+            ]
+            slopes.append(((ends[0] - ends[1]) / 2e-3 * grad).sum(1))
+        with torch.enable_grad():
+            leaf = input.clone().requires_grad_()
+            out = grid_sample(leaf, grid.as_subclass(Plain), *ctx.how).as_subclass(Tensor)
+        (of_input,) = torch.autograd.grad(out, leaf, grad)
+        return of_input, torch.stack(slopes, -1), None, None, None
 
@@
     _check(input, grid, mode, padding_mode)
+    if not isinstance(grid, Plain):
+        return Differenced.apply(input, grid, mode, padding_mode, align_corners)
     sizes = input.shape[2:]
