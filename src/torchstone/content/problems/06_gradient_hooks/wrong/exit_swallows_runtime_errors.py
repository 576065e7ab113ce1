# over: solution.py
# verdict: WA property
# group: removal
# en: A true result of __exit__ swallows the exception: an error of CUDA or of autograd, a
#   RuntimeError, was taken for the end of the block.
# zh: __exit__ 返回真值就会吞掉异常：CUDA 或 autograd 抛出的 RuntimeError 被当成了代码块的正常结束。
@@
-    def __exit__(self, *exc: object) -> None:
+    def __exit__(self, kind, *exc: object) -> bool:
         self.remove()
+        return kind is not None and issubclass(kind, RuntimeError)
