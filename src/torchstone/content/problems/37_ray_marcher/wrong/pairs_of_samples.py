# over: solution.py
# verdict: MLE
# group: large
# en: A matrix of samples by samples for each ray takes S times the memory.
# zh: 每条光线一个样本对样本的矩阵，内存是 S 倍。
@@
-    transmittance = torch.exp(-total[:, :-1])
+    pairs = tau[:, None, :].expand(-1, tau.shape[1], -1)
+    ahead = (pairs * torch.ones(t.shape[1], t.shape[1], dtype=t.dtype).tril(-1)).nan_to_num().sum(-1)
+    transmittance = torch.exp(-ahead)
