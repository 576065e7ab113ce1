# over: solution.py
# verdict: WA property
# group: dropout
# en: Attention dropout drops weights, that is whole contributions of a key, not elements of the
#   context.
# zh: 注意力的 dropout 丢弃的是权重，即某个键的全部贡献，而不是上下文向量的元素。
@@
-        weights = self.dropout(masked_softmax(scores, mask))
-        context = (weights @ v).transpose(1, 2).reshape(batch, length, d_model)
+        weights = masked_softmax(scores, mask)
+        context = self.dropout(weights @ v).transpose(1, 2).reshape(batch, length, d_model)
