# over: solution.py
# verdict: WA property
# group: cache
# en: Casts a leaf at every use. In a recurrent network one weight is used at every step.
# zh: 每次使用都转换叶子。循环网络里，同一个权重每一步都要用。
@@
-    if version != x._version:
+    if version is None or version == x._version:
