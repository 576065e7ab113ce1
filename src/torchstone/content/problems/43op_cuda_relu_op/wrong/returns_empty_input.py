# over: solution.py
# verdict: RTE | WA property
# group: edge
# en: A schema without (a) promises a tensor of its own, be there something in it or not.
# zh: schema 没有写 (a) 就是承诺返回新的张量，空张量也不例外。
@@
+    if x.numel() == 0:
+        return x
     x = x.contiguous()
