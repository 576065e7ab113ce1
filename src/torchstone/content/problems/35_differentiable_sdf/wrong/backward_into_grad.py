# over: solution.py
# verdict: WA property
# group: sample
# en: backward() fills the .grad of everything that f closes over.
# zh: backward() 会写入 f 所引用的一切参数的 .grad。
@@
-        return torch.autograd.grad(f(x).sum(), x, create_graph=create_graph)[0]
+        if not x.is_leaf:
+            x.retain_grad()
+        before, x.grad = x.grad, None
+        f(x).sum().backward(create_graph=create_graph)
+        found, x.grad = x.grad, before
+        return found
