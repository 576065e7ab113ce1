# over: solution.py
# verdict: WA property
# group: sample
# en: The model is in another mode after the block.
# zh: with 块结束后，模型处于另一种模式。
@@
     def __enter__(self) -> "LayerProfiler":
+        self._model.eval()
