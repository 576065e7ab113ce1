# over: solution.py
# verdict: WA property
# group: structure
# en: gather returns one entry per replica; the user takes the mean (weighted, if chunks
#   differ).
# zh: gather 返回每个副本一个值，均值由用户计算（分片大小不等时要加权）。
@@
-        return torch.stack(moved) if first.dim() == 0 else torch.cat(moved, dim)
+        return torch.stack(moved).mean() if first.dim() == 0 else torch.cat(moved, dim)
