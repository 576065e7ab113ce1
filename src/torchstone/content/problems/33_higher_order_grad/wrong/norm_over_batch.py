# over: solution.py
# verdict: WA value
# group: small
# en: One norm for the whole batch; the constraint is meant for each sample.
# zh: 对整个批次只取了一个范数；约束是逐样本的。
@@
         # vector_norm has the subgradient 0 at 0, where a square root of a sum has NaN.
-        norm = torch.linalg.vector_norm(gradient.flatten(1), dim=1)
+        norm = torch.linalg.vector_norm(gradient)
         return (norm - target).square().mean()
