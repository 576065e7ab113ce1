# over: solution.py
# verdict: WA value
# group: sample
# en: torch.tensor(0.8) is float32: give it the dtype of the query.
# zh: torch.tensor(0.8) 是 float32：应使用 query 的类型。
@@
-    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
+    weights = torch.softmax(-gaps / torch.as_tensor(temperature), dim=-1)
