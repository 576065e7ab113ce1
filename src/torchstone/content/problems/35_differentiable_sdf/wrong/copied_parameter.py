# over: solution.py
# verdict: WA grad
# group: sample
# en: torch.tensor(t) copies a tensor out of its graph.
# zh: torch.tensor(t) 的副本脱离了计算图。
@@
-    return torch.as_tensor(value, dtype=p.dtype)
+    return torch.tensor(value.tolist() if isinstance(value, Tensor) else value, dtype=p.dtype)
