# over: solution.py
# verdict: WA property
# group: small
# en: The first steps are recorded. They pay for allocation and lazy initialisation.
# zh: 把前几步也记录了。首步包含内存分配与惰性初始化。
@@
-        if self._step == self._warmup:
+        if self._step == 0:
             self._profile = profile().__enter__()
