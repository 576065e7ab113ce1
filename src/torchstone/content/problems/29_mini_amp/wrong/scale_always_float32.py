# over: solution.py
# verdict: WA dtype
# group: scale
# en: Casts every output to float32 before it is scaled. float64 losses and tensors with
#     dimensions keep their type.
# zh: 缩放前把所有输出都转成 float32。float64 的损失与带维度的张量应保持原类型。
@@
-            return outputs * self._scale.to(outputs.device)
+            return outputs.float() * self._scale.to(outputs.device)
