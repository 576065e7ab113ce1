# over: good/padded_columns.py
# verdict: RTE | WA property
# group: edge
# en: 1 against 0 gives 0: the rule is "the size that is not 1", not the larger one.
# zh: 1 与 0 得 0：规则是取“不是 1 的那个”，而不是取最大值。
@@ def common_size
-        result = size if result == 1 else result
+        result = max(result, size)
