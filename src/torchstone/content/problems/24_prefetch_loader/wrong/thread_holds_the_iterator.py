# over: good/host_waits_in_thread.py
# verdict: WA property
# group: leak
# en: A thread that runs a bound method keeps its object alive: __del__ never runs.
# zh: 线程运行绑定方法会一直持有该对象，__del__ 永远不会被调用。
@@
-        # Not a bound method: the thread would keep this object alive.
-        arguments = (loader, device, pin, self._ready, self._left)
-        self._thread = threading.Thread(target=_produce, args=arguments, daemon=True)
+        self._arguments = (loader, device, pin, self._ready, self._left)
+        self._thread = threading.Thread(target=self._run, daemon=True)
@@
         self._over = False
+
+    def _run(self):
+        _produce(*self._arguments)
