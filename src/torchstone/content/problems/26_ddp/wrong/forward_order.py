# over: solution.py
# verdict: WA property
# group: overlap
# en: The backward ends with the first layers. Buckets in the order of the forward are all
#   filled only then.
# zh: 反向最后才到前几层；桶若按前向的次序排列，要到那时才填得满。
@@
-        self.buckets = make_buckets(trained[::-1], int(bucket_cap_mb * 2**20))
+        self.buckets = make_buckets(trained, int(bucket_cap_mb * 2**20))
