# over: solution.py
# verdict: WA value
# group: edge
# en: a == b divides 0 by 0; it is a sphere.
# zh: a == b 会出现 0/0；此时它是球。
@@
-    share = (from_a * along).sum(-1) / torch.where(squared > 0, squared, 1)
+    share = (from_a * along).sum(-1) / squared
