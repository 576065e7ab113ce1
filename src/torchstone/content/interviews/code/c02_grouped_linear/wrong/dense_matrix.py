# over: solution.py
# verdict: MLE
# group: large
# en: Most entries of the dense matrix are zero; multiply group by group.
# zh: 稠密矩阵里绝大部分是零；应当逐组相乘。
@@
-        y = _grouped(x, weight[..., :-1]) @ weight[..., :-1].transpose(1, 2)
-        return _joined(y + weight[:, None, :, -1], x.shape)
+        dense = torch.block_diag(*weight[..., :-1])
+        return x @ dense.T + weight[..., -1].reshape(-1)
