# over: solution.py
# verdict: WA value
# group: small
# en: The square of the mean is not the mean of the squares: samples above and below the target cancel.
# zh: 均值的平方不是平方的均值：高于与低于 target 的样本会互相抵消。
@@
         norm = torch.linalg.vector_norm(gradient.flatten(1), dim=1)
-        return (norm - target).square().mean()
+        return (norm - target).mean().square()
 
