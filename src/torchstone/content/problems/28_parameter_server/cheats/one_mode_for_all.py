# over: solution.py
# verdict: WA value | WA property
# en: Treats every mode as async: nobody ever waits.
# zh: 把每种模式都当作异步：谁也不等待。
@@
-        self._mode, self._staleness = mode, staleness
+        self._mode, self._staleness = "async", staleness
