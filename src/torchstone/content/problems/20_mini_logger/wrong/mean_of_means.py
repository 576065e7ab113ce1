# over: solution.py
# verdict: WA value
# group: small
# en: Batches of different size count equally; each value needs the weight n.
# zh: 大小不同的 batch 被同等对待；每个值应以 n 加权。
@@
-        weight = sum(n for n, _ in finite)
+        weight = len(finite)
@@
-            "mean": math.fsum(n * value for n, value in finite) / weight if weight else None,
+            "mean": math.fsum(value for _, value in finite) / weight if weight else None,
