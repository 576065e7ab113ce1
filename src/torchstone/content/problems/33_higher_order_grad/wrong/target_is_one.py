# over: solution.py
# verdict: WA value
# group: sample
# en: target is ignored; the norm is always compared with 1.
# zh: 忽略了 target，总是与 1 比较。
@@
         norm = torch.linalg.vector_norm(gradient.flatten(1), dim=1)
-        return (norm - target).square().mean()
+        return (norm - 1).square().mean()
 
