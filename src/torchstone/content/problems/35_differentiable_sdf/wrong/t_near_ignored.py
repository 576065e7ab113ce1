# over: solution.py
# verdict: WA value
# group: edge
# en: The march starts at t_near: what lies before it is not seen.
# zh: 步进从 t_near 开始，它之前的东西看不见。
@@
-    t = torch.full_like(origins[..., 0], t_near)
+    t = torch.full_like(origins[..., 0], 0.0)
