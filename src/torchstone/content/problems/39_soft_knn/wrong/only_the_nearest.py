# over: solution.py
# verdict: WA value
# group: sample
# en: All M points take part in every slot, not the k nearest alone.
# zh: 每个槽都有全部 M 个点参与，而不只是最近的 k 个。
@@
-    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
+    gaps = gaps.masked_fill(d.unsqueeze(-2) > anchors[..., -1:, None], torch.inf)
+    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
