# over: solution.py
# verdict: WA value
# group: sample
# en: The packed rows are those of the queries, then of the keys, then of the values.
# zh: 打包的权重按行依次是 query、key、value。
@@
-        q, k, v = heads.unbind(0)
+        k, q, v = heads.unbind(0)
