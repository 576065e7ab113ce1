# over: solution.py
# verdict: WA property
# group: protocol
# en: After the first check every update passes; it must find gradients checked since the last one.
# zh: 检查过一次之后，每次 update 都能通过；其实自上一次 update 以来必须检查过梯度。
@@
-        elif not self._bad:
+        elif not self._bad and not hasattr(self, "_checked"):
             raise RuntimeError("no gradients were checked since the last update().")
@@
-        self._forget()
+        self._checked = True
+        self._forget()
 
     def get_scale(self) -> float:
