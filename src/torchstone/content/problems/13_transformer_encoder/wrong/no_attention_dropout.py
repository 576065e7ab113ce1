# over: solution.py
# verdict: WA property
# group: dropout
# en: The weights of attention have a dropout of their own, beside that of the projected output.
# zh: 除了输出投影之后的 dropout，注意力权重还有自己的一处 dropout。
@@
-        weights = self.dropout(masked_softmax(scores, mask))
+        weights = masked_softmax(scores, mask)
