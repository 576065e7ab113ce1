# over: solution.py
# verdict: WA value
# group: small
# en: dim=1 of an image is its channels alone; flatten from dim 1 first.
# zh: 图像的 dim=1 只是通道；应先 flatten(1)。
@@
         # vector_norm has the subgradient 0 at 0, where a square root of a sum has NaN.
-        norm = torch.linalg.vector_norm(gradient.flatten(1), dim=1)
+        norm = torch.linalg.vector_norm(gradient, dim=1)
         return (norm - target).square().mean()
