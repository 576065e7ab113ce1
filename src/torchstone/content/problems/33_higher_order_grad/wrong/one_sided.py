# over: solution.py
# verdict: WA value
# group: small
# en: The penalty is two-sided: a norm below the target costs as well.
# zh: 惩罚是双侧的：范数小于 target 也要付出代价。
@@
         norm = torch.linalg.vector_norm(gradient.flatten(1), dim=1)
-        return (norm - target).square().mean()
+        return (norm - target).clamp(min=0).square().mean()
 
