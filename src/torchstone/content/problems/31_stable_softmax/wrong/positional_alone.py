# over: solution.py
# verdict: RTE
# group: small
# en: Parameters behind a slash are positional alone; a call that names x fails with TypeError.
# zh: 斜杠之前的参数只能按位置传入；调用时写出 x= 就会抛出 TypeError。
@@ stable_log_softmax
 def stable_log_softmax(
-    x: Tensor, dim: int = -1, mask: Tensor | None = None, dtype: torch.dtype | None = None
+    x: Tensor, /, dim: int = -1, mask: Tensor | None = None, dtype: torch.dtype | None = None
 ) -> Tensor:
