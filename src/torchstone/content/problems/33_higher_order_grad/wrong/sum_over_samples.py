# over: solution.py
# verdict: WA value
# group: small
# en: The sum over samples grows with the batch; the penalty is their mean.
# zh: 对样本求和会随批次增大；惩罚应取平均。
@@
         norm = torch.linalg.vector_norm(gradient.flatten(1), dim=1)
-        return (norm - target).square().mean()
+        return (norm - target).square().sum()
 
