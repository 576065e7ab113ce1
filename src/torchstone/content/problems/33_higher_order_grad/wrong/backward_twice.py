# over: solution.py
# verdict: WA property
# group: small
# en: .backward() adds to the .grad of every parameter; torch.autograd.grad returns its result and leaves nothing.
# zh: .backward() 会累加到每个参数的 .grad；torch.autograd.grad 只返回结果，不留痕迹。
@@
     with torch.enable_grad():
-        xs = tuple(map(differentiable, xs))
+        xs = tuple(x * 1 if x.requires_grad else differentiable(x) for x in xs)
         gradients = derivatives(one_number(f(*xs)), xs, create_graph=True)
@@
         slope = sum((g * direction).sum() for g, direction in zip(gradients, vs, strict=True))
-        products = derivatives(slope, xs, create_graph)
+        if not slope.requires_grad:
+            products = tuple(map(torch.zeros_like, xs))
+        else:
+            for x in xs:
+                x.retain_grad()
+            slope.backward(create_graph=create_graph)
+            products = tuple(torch.zeros_like(x) if x.grad is None else x.grad for x in xs)
     return products[0] if is_single else products
