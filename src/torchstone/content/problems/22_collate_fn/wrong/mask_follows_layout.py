# over: solution.py
# verdict: WA shape
# group: multiple
# en: The mask is transposed with the data; it is always (B, T).
# zh: 掩码随数据一起转置了；它应始终是 (B, T)。
@@
     mask = torch.arange(total) < lengths[:, None]
+    mask = mask if batch_first else mask.t().contiguous()
