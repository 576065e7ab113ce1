# over: solution.py
# verdict: WA value
# group: basic
# en: Frozen parameters have no gradient, but they are part of the model that all ranks must
#   share.
# zh: 冻结的参数没有梯度，但它们同样属于各 rank 必须一致的模型。
@@
-        self._copy_from_first([*module.parameters(), *module.buffers()])
+        self._copy_from_first([*trained, *module.buffers()])
