# over: solution.py
# verdict: WA value
# group: sample
# en: The absolute value needs no eps: its subgradient at 0 is 0.
# zh: 绝对值不需要 eps：它在 0 处的次梯度为 0。
@@
-    gaps = (anchors.unsqueeze(-1) - d.unsqueeze(-2)).abs()
+    gaps = ((anchors.unsqueeze(-1) - d.unsqueeze(-2)).square() + 1e-12).sqrt()
