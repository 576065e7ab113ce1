# over: good/log_softmax_helper.py
# verdict: WA value
# group: small
# en: "mean" divides by the rows that count; ignored rows do not.
# zh: mean 只除以未忽略的样本数，被忽略的行不计入分母。
@@ def forward
-            loss = loss / keep.sum()
+            loss = loss / keep.numel()
@@ def backward
-            grad = grad / keep.sum().clamp(min=1)
+            grad = grad / max(keep.numel(), 1)
