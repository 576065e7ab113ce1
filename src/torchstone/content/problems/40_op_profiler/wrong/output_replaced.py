# over: solution.py
# verdict: WA property
# group: sample
# en: The hook returns a view of the output: the graph has another node, and an Identity returns another object.
# zh: 钩子返回输出的视图：计算图多出节点，Identity 返回的也不是原对象。
@@
-    def _end(self, module: nn.Module, args: tuple, output: object) -> None:
+    def _end(self, module: nn.Module, args: tuple, output: object) -> object:
         self._open.pop().__exit__(None, None, None)
+        return output.view_as(output) if hasattr(output, "view_as") else None
