# over: solution.py
# verdict: WA grad
# group: edge
# en: The mask comes after the division by 0, so its backward multiplies 0 by inf.
# zh: 掩码放在除以 0 之后，反向时就是 0 乘 inf，得到 NaN。
@@
-    xy = camera[..., :2] / torch.where(valid, depth, 1.0)[..., None]
-    x, y = torch.where(valid[..., None], xy, 0.0).unbind(-1)
+    x, y = (camera[..., :2] / depth[..., None]).unbind(-1)
