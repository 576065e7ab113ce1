# over: solution.py
# verdict: RTE
# group: sample
# en: retain_graph keeps the buffers of the forward pass; only create_graph builds a graph of the backward.
# zh: retain_graph 只保留前向的缓冲；只有 create_graph 才为反向建图。
@@
         xs = tuple(map(differentiable, xs))
-        gradients = derivatives(one_number(f(*xs)), xs, create_graph=True)
+        gradients = torch.autograd.grad(one_number(f(*xs)), xs, retain_graph=True)
         # One number whose gradient is H v: <grad f, v>, with v held fixed.
         slope = sum((g * direction).sum() for g, direction in zip(gradients, vs, strict=True))
-        products = derivatives(slope, xs, create_graph)
+        products = torch.autograd.grad(slope, xs, create_graph=create_graph)
     return products[0] if is_single else products
