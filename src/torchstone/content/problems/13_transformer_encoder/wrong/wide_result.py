# over: solution.py
# verdict: WA dtype
# group: dtype
# en: The result has the dtype of the input, also where a part was computed in float32.
# zh: 即使中间用 float32 计算，结果的类型也应与输入相同。
@@
         x = src
+        narrow = src.dtype.itemsize == 2
@@
-        return x if self.norm is None else self.norm(x)
+        x = x if self.norm is None else self.norm(x)
+        return x.float() if narrow else x
