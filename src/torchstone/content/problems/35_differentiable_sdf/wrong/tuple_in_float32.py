# over: solution.py
# verdict: WA value
# group: sample
# en: torch.tensor(tuple) is float32: give it the dtype of the points.
# zh: torch.tensor(元组) 是 float32，应当指定点的 dtype。
@@
-    return torch.as_tensor(value, dtype=p.dtype)
+    return torch.as_tensor(value, device=p.device)
