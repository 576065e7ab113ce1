# over: solution.py
# verdict: RTE
# group: edge
# en: Two calls at the same tick of the clock divide by zero.
# zh: 两次调用落在同一时刻，就除以零了。
@@
-            "samples_per_s": self.samples / since if since > 0 else None,
+            "samples_per_s": self.samples / since,
