# over: solution.py
# verdict: WA value
# group: state
# en: The verdict is remembered by function and inputs; new values in the inputs get the old one.
# zh: 按函数和输入记住判断；输入换了新值，得到的仍是旧判断。
@@
-def gradcheck(
+def compute(
@@
         raise GradcheckError("backward is not linear in its cotangent.")

+
+# The key's tensors are kept, so that their addresses belong to no others.
+answers: dict = {}
+
+
+def gradcheck(fn: Callable, inputs: Tensor | tuple, **options: object) -> bool:
+    given = inputs if isinstance(inputs, tuple) else (inputs,)
+    tensors = [x for x in given if isinstance(x, Tensor)]
+    key = (id(fn), str(options), *((x.data_ptr(), x.shape, x.stride()) for x in tensors))
+    if key not in answers:
+        answers[key] = fn, tensors, compute(fn, inputs, **options)
+    return answers[key][-1]
+
