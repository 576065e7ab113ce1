# over: solution.py
# verdict: WA value
# group: sample
# en: The product has the groups in front; they belong behind the rows before features are joined.
# zh: 乘积把组放在最前，拼接特征之前要移回行的后面。
@@
-    return y.transpose(0, 1).reshape(*shape[:-1], y.shape[0] * y.shape[2])
+    return y.reshape(*shape[:-1], y.shape[0] * y.shape[2])
