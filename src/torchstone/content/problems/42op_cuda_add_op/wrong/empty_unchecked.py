# over: solution.py
# verdict: WA property
# group: errors
# en: What does not fit is refused before anybody asks how many elements there are.
# zh: 不合要求的输入一律拒绝，与元素个数无关，空张量也一样。
@@
 def add(a: Tensor, b: Tensor, alpha: float = 1.0) -> Tensor:
-    check(a, b)
+    if a.numel():
+        check(a, b)
