# over: solution.py
# verdict: WA property
# group: sample
# en: One step too many is left out: step 0 is the first of the warm-up, so that a warm-up of 0 records all.
# zh: 多跳过了一步。第 0 步是预热的第一步，warmup 为 0 时全部记录。
@@
-        if self._step == self._warmup:
+        if self._step == self._warmup + 1:
             self._profile = profile().__enter__()
