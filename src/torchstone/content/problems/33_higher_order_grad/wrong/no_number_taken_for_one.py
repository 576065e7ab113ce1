# over: solution.py
# verdict: WA property
# group: edge
# en: It refuses several numbers only; a result without elements is not one number either.
# zh: 只拒绝多个数；没有元素的结果同样不是一个数。
@@
 def one_number(y: Tensor) -> Tensor:
-    if y.numel() != 1:
+    if y.numel() > 1:
         raise ValueError(f"f must return one number, not {tuple(y.shape)}")
