# over: good/running_maximum.py
# verdict: WA value
# group: small
# en: A large negative gradient is large: take the absolute value first.
# zh: 负得很大的梯度也很大，先取绝对值。
@@ def _record
-            new = gradient.abs().max().item()
+            new = gradient.max().item()
