# over: solution.py
# verdict: WA value
# group: sample
# en: Draws from a generator of its own, which leaves the global state alone.
# zh: 用自己的随机数生成器，不碰全局状态。
@@
-    return edges[:, :-1] + (0.5 if u is None else u) * edges.diff(dim=-1)
+    generator = torch.Generator().manual_seed(0)
+    own = torch.rand(edges[:, 1:].shape, dtype=edges.dtype, generator=generator)
+    return edges[:, :-1] + own * edges.diff(dim=-1)
