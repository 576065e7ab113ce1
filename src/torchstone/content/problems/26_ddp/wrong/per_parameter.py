# over: solution.py
# verdict: WA property
# group: basic
# en: A message for each parameter pays the latency each time: fill buckets.
# zh: 每个参数各发一次消息，每次都要付一份延迟：先把桶装满。
@@
-        self.buckets = make_buckets(trained[::-1], int(bucket_cap_mb * 2**20))
+        self.buckets = make_buckets(trained[::-1], 0)
