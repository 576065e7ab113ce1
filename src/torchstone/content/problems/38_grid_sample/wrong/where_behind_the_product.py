# over: solution.py
# verdict: WA grad
# group: edge
# en: where behind the product hides NaN from the value; backward multiplies its zero by the weight, NaN.
# zh: 先乘后 where，值里的 NaN 被藏起来了；反向时 0 乘上权重 NaN 仍是 NaN。
@@
     for taps in itertools.product(*axes):
-        index, weight, stride = 0, 1, 1
-        for (position, factor), size in zip(taps, reversed(sizes), strict=True):
+        index, weight, stride, inside = 0, 1, 1, True
+        for (position, factor, found), size in zip(taps, reversed(sizes), strict=True):
             index, weight, stride = index + stride * position, weight * factor, stride * size
+            inside = inside & found
         index = index[:, None].expand(-1, input.shape[1], -1)
-        out = out + pixels.gather(2, index) * weight[:, None]
+        out = out + torch.where(inside[:, None], pixels.gather(2, index) * weight[:, None], 0.0)
     return out.reshape(*input.shape[:2], *grid.shape[1:-1])
@@
     x = (g + 1) / 2 * (size - 1) if align_corners else ((g + 1) * size - 1) / 2
-    if padding_mode != "reflection":
+    if padding_mode == "border":
         # Further outside nothing changes any more, and no weight is computed from inf.
@@
 
-def _select(position: Tensor, weight: Tensor, size: int) -> tuple[Tensor, Tensor]:
+def _select(position: Tensor, weight: Tensor, size: int) -> tuple[Tensor, Tensor, Tensor]:
     """Give a pixel outside the weight 0, and an index that is legal."""
     inside = (position >= 0) & (position <= size - 1)
-    return position.clamp(0, size - 1).long(), torch.where(inside, weight, 0.0)
+    return position.clamp(0, size - 1).long(), weight, inside
 
