# over: solution.py
# verdict: WA value
# group: sample
# en: backward adds; without the division the step is as many times too long.
# zh: backward 是累加；不除以总数，步子就大了这么多倍。
@@
-            (loss * (len(x) / num_samples)).backward()
+            (loss * len(x)).backward()
