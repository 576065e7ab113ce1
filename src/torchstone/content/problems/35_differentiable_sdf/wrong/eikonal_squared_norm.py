# over: solution.py
# verdict: WA value
# group: small
# en: The loss compares the length with 1, not its square.
# zh: 损失比较的是长度与 1，而不是长度的平方。
@@
-        return (norm(gradient(f, p)) - 1).square().mean()
+        return (gradient(f, p).square().sum(-1) - 1).square().mean()
