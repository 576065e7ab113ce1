# over: solution.py
# verdict: WA value
# group: alias
# en: A pulled tensor belongs to the worker: later updates must not change it, nor its writes the
#   server.
# zh: 拉取到的张量属于 worker：之后的更新不能改变它，worker 的写入也不能影响服务器。
@@
-        return {name: value.clone() for name, value in self._params.items()}
+        return dict(self._params)
