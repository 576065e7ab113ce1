# over: solution.py
# verdict: WA property
# group: edge
# en: A wrong shape raises ValueError; an AssertionError is no answer to a caller's mistake.
# zh: 形状错误要抛出 `ValueError`；调用者的错误不该用 `AssertionError
#   ` 报告。
@@
-    if not shape or tuple(x.shape[-len(shape) :]) != shape:
-        raise ValueError(f"stable_layer_norm: {tuple(x.shape)} does not end in {shape}.")
+    assert shape, "normalized_shape is empty"
+    assert tuple(x.shape[-len(shape) :]) == shape, "x does not end in normalized_shape"
