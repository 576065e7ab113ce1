# over: solution.py
# verdict: WA grad
# group: edge
# en: nan_to_num repairs the value; in backward its zero meets the NaN of the weights.
# zh: nan_to_num 只修好了值；反向时它的 0 遇到权重里的 NaN。
@@
-    return out.reshape(*input.shape[:2], *grid.shape[1:-1])
+    return out.nan_to_num(0.0).reshape(*input.shape[:2], *grid.shape[1:-1])
@@
-    if padding_mode != "reflection":
+    if padding_mode == "border":
@@
-    return position.clamp(0, size - 1).long(), torch.where(inside, weight, 0.0)
+    return position.clamp(0, size - 1).long(), weight * inside
