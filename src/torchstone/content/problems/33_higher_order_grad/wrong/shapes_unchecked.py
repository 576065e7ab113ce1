# over: solution.py
# verdict: WA property
# group: edge
# en: Where v or alpha broadcasts, nothing raises and the result is wrong.
# zh: v 或 alpha 能广播时不会报错，结果却是错的。
@@
     xs, vs = ((inputs,), (v,)) if is_single else (tuple(inputs), tuple(v))
-    if [x.shape for x in xs] != [direction.shape for direction in vs]:
+    if len(xs) != len(vs):
         raise ValueError("hvp: v must have the shapes of inputs")
