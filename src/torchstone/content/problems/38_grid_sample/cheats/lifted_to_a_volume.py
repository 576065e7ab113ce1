# over: solution.py
# verdict: FORBIDDEN_OP
# en: An image as a volume of one layer, for the kernel of volumes.
# zh: 把图像当作只有一层的体数据，调用三维的核函数。
@@
     _check(input, grid, mode, padding_mode)
+    if input.ndim == 4 and mode != "bicubic":
+        modes = ["bilinear", "nearest", "bicubic"].index(mode), ["zeros", "border", "reflection"].index(padding_mode)
+        places = torch.cat([grid, torch.zeros_like(grid[..., :1])], -1)[:, None]
+        solid = torch.grid_sampler_3d(input[:, :, None], places, *modes, align_corners)
+        return solid[:, :, 0]
     sizes = input.shape[2:]
