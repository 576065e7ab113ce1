# over: solution.py
# verdict: WA value
# group: value
# en: A real zero is not padding: the mask follows from the lengths, not from the values.
# zh: 真实数据里也有等于填充值的数；掩码应由长度得到，而不是由数值得到。
@@
-    mask = torch.arange(total) < lengths[:, None]
+    first_rows = data if batch_first else data.transpose(0, 1)
+    mask = first_rows != padding_value
+    if mask.ndim > 2:
+        mask = mask.flatten(2).any(2)
+    # NaN differs from itself.
+    mask &= ~(
+        first_rows.isnan() if mask.ndim == data.ndim else first_rows.flatten(2).isnan().any(2)
+    )
+    mask = mask.contiguous()
