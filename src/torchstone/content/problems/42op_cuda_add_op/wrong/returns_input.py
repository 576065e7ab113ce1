# over: solution.py
# verdict: RTE | WA property
# group: edge
# en: A schema without (a) promises new memory, for alpha = 0, too.
# zh: schema 没有写 (a) 就是承诺新内存，alpha = 0 时也一样。
@@
+    if alpha == 0.0:
+        return a
     a, b = a.contiguous(), b.contiguous()
