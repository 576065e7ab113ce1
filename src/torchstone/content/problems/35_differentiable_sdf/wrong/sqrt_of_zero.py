# over: solution.py
# verdict: WA grad
# group: edge
# en: The derivative of √ at 0 is infinite; 0·∞ = NaN.
# zh: √ 在 0 处导数无穷，0·∞=NaN。
@@
-    return torch.linalg.vector_norm(v, dim=-1)
+    return (v * v).sum(-1).sqrt()
