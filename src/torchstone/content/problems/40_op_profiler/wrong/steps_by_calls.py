# over: solution.py
# verdict: WA property
# group: small
# en: A step ends with step(), not with a call of the model: a step may have several.
# zh: 一步由 step() 结束，而不是由一次模型调用结束：一步里可以有好几次调用。
@@
-        self._start_if_warm()
         return self
@@
-        self._step += 1
-        self._start_if_warm()
+        pass
@@
         # A label of the whole number: names may contain each other.
+        if number == 0:
+            self._start_if_warm()
+            self._step += 1
