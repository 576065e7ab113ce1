# over: solution.py
# verdict: WA property
# group: small
# en: A negative warm-up is accepted.
# zh: 接受了负的 warmup。
@@
-        if warmup < 0:
-            raise ValueError(f"warmup must not be negative, but is {warmup}")
-        self._model, self._warmup = model, warmup
+        self._model, self._warmup = model, max(warmup, 0)
