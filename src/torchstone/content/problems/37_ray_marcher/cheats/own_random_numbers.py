# over: solution.py
# verdict: WA value | WA property
# group: sample
# en: Draws its own numbers in place of u.
# zh: 不用 u，自己生成随机数。
@@
-    return edges[:, :-1] + (0.5 if u is None else u) * edges.diff(dim=-1)
+    own = torch.rand(edges[:, 1:].shape, dtype=edges.dtype)
+    return edges[:, :-1] + own * edges.diff(dim=-1)
