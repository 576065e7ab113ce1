# over: solution.py
# verdict: WA dtype
# group: scale
# en: Multiplies by a Python float: a float16 loss times 65536.0 is inf. A 0-d float32 tensor
#     promotes it.
# zh: 乘的是 Python 浮点数：float16 损失乘 65536.0 就是 inf。0 维 float32 张量才会提升类型。
@@
-            return outputs * self._scale.to(outputs.device)
+            return outputs * self.get_scale()
