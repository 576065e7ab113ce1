# over: solution.py
# verdict: WA property | RTE
# group: errors
# en: The bytes of a double are not two floats.
# zh: 一个 double 的字节并不是两个 float。
@@
-        if tensor.dtype != torch.float32:
-            raise TypeError(f"relu: float32 is wanted, got {tensor.dtype}")
+        if not tensor.is_floating_point():
+            raise TypeError(f"relu: floating point is wanted, got {tensor.dtype}")
