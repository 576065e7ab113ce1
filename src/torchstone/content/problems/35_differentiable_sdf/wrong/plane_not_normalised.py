# over: solution.py
# verdict: WA value
# group: sample
# en: A normal of any length: divide by it.
# zh: 法向量长度任意，要除以它的长度。
@@
-    return (p * n).sum(-1) / norm(n) - offset
+    return (p * n).sum(-1) - offset
