# over: solution.py
# verdict: WA value
# group: small
# en: A batch of K needs an axis for the points as well; without it camera i is used for point i.
# zh: K 的批次同样要为点补一维；否则第 i 个相机会用在第 i 个点上。
@@
-    u = K[..., 0, 0, None] * x + K[..., 0, 1, None] * y + K[..., 0, 2, None]
-    v = K[..., 1, 1, None] * y + K[..., 1, 2, None]
+    u = K[..., 0, 0] * x + K[..., 0, 1] * y + K[..., 0, 2]
+    v = K[..., 1, 1] * y + K[..., 1, 2]
