# over: solution.py
# verdict: WA value
# group: layout
# en: A number becomes float32 by default, and rays of float64 begin and end beside near and far.
# zh: Python 数默认变成 float32，float64 的光线便不在 near 与 far 处起止。
@@
-    near, far = (torch.as_tensor(end, dtype=origins.dtype).expand(num_rays) for end in (near, far))
+    near, far = (torch.as_tensor(end).to(origins).expand(num_rays) for end in (near, far))
