# over: solution.py
# verdict: WA value
# group: small
# en: Batches of different sizes do not count alike: weight each by its samples.
# zh: 大小不同的批不能同等看待：要按样本数加权。
@@
-            (loss * (len(x) / num_samples)).backward()
+            (loss / len(taken)).backward()
