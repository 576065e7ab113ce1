# over: solution.py
# verdict: RTE
# group: sample
# en: Without create_graph the gradient is a plain number: nothing is left to differentiate.
# zh: 没有 create_graph，梯度只是数值，无法再求导。
@@
         xs = tuple(map(differentiable, xs))
-        gradients = derivatives(one_number(f(*xs)), xs, create_graph=True)
+        gradients = torch.autograd.grad(one_number(f(*xs)), xs)
         # One number whose gradient is H v: <grad f, v>, with v held fixed.
         slope = sum((g * direction).sum() for g, direction in zip(gradients, vs, strict=True))
-        products = derivatives(slope, xs, create_graph)
+        products = torch.autograd.grad(slope, xs, create_graph=create_graph)
     return products[0] if is_single else products
