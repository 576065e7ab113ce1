# over: solution.py
# verdict: WA property
# group: small
# en: One set of weights is shared by the whole batch; each sample has a map and weights of its
#   own.
# zh: 整个 batch 共用一组权重；每个样本有各自的映射，也应有各自的权重。
@@
         # In differences the weights sum to one by construction.
-        gamma = torch.linalg.lstsq(steps.diff(dim=2), steps[..., -1:]).solution
+        d = steps.diff(dim=2)
+        rows = d.reshape(-1, d.shape[2]), steps[..., -1:].reshape(-1, 1)
+        gamma = torch.linalg.lstsq(*rows).solution
         newest = newest - images.diff(dim=2) @ gamma
