# over: solution.py
# verdict: WA value
# group: small
# en: Remembers the gradient of a field that nothing is derived from; with moved constants the old one comes.
# zh: 若不必再求导，就按场记住梯度；常量移动之后用的还是旧值。
@@
+MEMORY = {}
+
+
 def sphere(p: Tensor, radius) -> Tensor:
@@ def gradient
-    with torch.enable_grad():
-        x = p if p.requires_grad else p.detach().requires_grad_()
+    key = id(f), p.data_ptr(), p.shape
+    if not create_graph and key in MEMORY:
+        return MEMORY[key][2]
+    with torch.enable_grad():
+        x = p if p.requires_grad else p.detach().requires_grad_()
@@
-        return torch.autograd.grad(f(x).sum(), x, create_graph=create_graph)[0]
+        MEMORY[key] = f, p, torch.autograd.grad(f(x).sum(), x, create_graph=create_graph)[0]
+        return MEMORY[key][2]
