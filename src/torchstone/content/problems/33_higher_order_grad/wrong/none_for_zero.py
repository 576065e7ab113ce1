# over: solution.py
# verdict: WA property
# group: edge
# en: None stands for a derivative of zero; the caller expects a tensor of zeros.
# zh: 用 None 表示导数为零；调用者要的是零张量。
@@
         slope = sum((g * direction).sum() for g, direction in zip(gradients, vs, strict=True))
-        products = derivatives(slope, xs, create_graph)
+        products = tuple(map(torch.zeros_like, xs))
+        if slope.requires_grad:
+            products = torch.autograd.grad(slope, xs, create_graph=create_graph, allow_unused=True)
     return products[0] if is_single else products
