# over: solution.py
# verdict: WA value
# group: edge
# en: An epsilon under the root avoids NaN, but changes the value where the gradient is zero.
# zh: 根号下加 epsilon 避开了 NaN，却改变了零梯度处的数值。
@@
         # vector_norm has the subgradient 0 at 0, where a square root of a sum has NaN.
-        norm = torch.linalg.vector_norm(gradient.flatten(1), dim=1)
+        norm = (gradient.flatten(1).square().sum(1) + 1e-12).sqrt()
         return (norm - target).square().mean()
