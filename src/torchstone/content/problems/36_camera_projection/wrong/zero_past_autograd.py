# over: solution.py
# verdict: WA grad
# group: edge
# en: The zeros are written past autograd: the value of an invalid point is 0, its gradient is not.
# zh: 绕过 autograd 写入 0：无效点的值是 0，梯度却不是 0。
@@
-    uv = torch.where(valid[..., None], torch.stack([u, v], -1), 0.0)
+    uv = torch.stack([u, v], -1)
+    uv.data[~valid] = 0.0
