# over: solution.py
# verdict: WA property
# group: edge
# en: Integers have a softmax only with a floating dtype; a silent promotion hides the caller's mistake.
# zh: 整数只有给出浮点 dtype 才有 softmax；悄悄提升类型会掩盖调用者的错误。
@@ def check
-    if not x.is_floating_point():
-        raise TypeError(f"the result would be {x.dtype}; pass a floating dtype")
     dims = max(x.dim(), 1)
@@ def prepare
-    scores = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
+    scores = x if x.dtype in (torch.float32, torch.float64) else x.float()
