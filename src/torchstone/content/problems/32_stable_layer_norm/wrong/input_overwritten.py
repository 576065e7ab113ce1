# over: solution.py
# verdict: INPUT_MUTATED
# group: sample
# en: to() copies nothing where the dtype fits already: in-place arithmetic then writes into x.
# zh: 类型相同时 `to()` 并不复制：原地运算会写进 x。
@@
-    rows = x.flatten(-len(shape)).to(wide)
+    rows = x.detach().flatten(-len(shape)).to(wide)
+    rows.sub_(rows[..., :1].clone())
+    rows = x.flatten(-len(shape)).to(wide)
