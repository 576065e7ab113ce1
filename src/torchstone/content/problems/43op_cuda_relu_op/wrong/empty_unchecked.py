# over: solution.py
# verdict: WA property
# group: errors
# en: A dtype is refused before anybody asks how many elements there are.
# zh: dtype 不对就要拒绝，与元素个数无关，空张量也一样。
@@
 def relu(x: Tensor) -> Tensor:
-    check(x)
+    if x.numel() == 0:
+        return torch.empty_like(x)
+    check(x)
