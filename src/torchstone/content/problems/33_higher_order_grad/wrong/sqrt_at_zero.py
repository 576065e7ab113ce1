# over: solution.py
# verdict: WA grad
# group: edge
# en: The derivative of a square root is infinite at 0, and 0 times infinity is NaN; vector_norm has the subgradient 0 there.
# zh: 平方根在 0 处的导数无穷，0 乘无穷得 NaN；vector_norm 在该处取次梯度 0。
@@
         # vector_norm has the subgradient 0 at 0, where a square root of a sum has NaN.
-        norm = torch.linalg.vector_norm(gradient.flatten(1), dim=1)
+        norm = gradient.flatten(1).square().sum(1).sqrt()
         return (norm - target).square().mean()
