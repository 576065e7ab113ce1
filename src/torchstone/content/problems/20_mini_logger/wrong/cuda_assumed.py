# over: solution.py
# verdict: RTE
# group: gpu
# en: CUDA is asked without a look whether it is there: without a GPU, logging must not be what
#   fails.
# zh: 不查有没有 CUDA 就直接调用：在没有 GPU 的机器上，日志不该让训练失败。
@@
-    if not torch.cuda.is_available():
-        return None
-    try:
+    if True:
@@
-    except RuntimeError:
-        return None
