# over: good/wrapped_forward.py
# verdict: WA property | RTE
# group: sample
# en: The wrapped forward takes positional arguments only, and models call layers with names as well.
# zh: 包装后的 forward 只接受位置参数，而模型也会用关键字参数调用层。
@@
-        def wrapped(*args, **kwargs):
+        def wrapped(*args):
             if self.running is None:
-                return forward(*args, **kwargs)
+                return forward(*args)
             with self.timed(row), record_function(f"L{id(row)}"):
-                return forward(*args, **kwargs)
+                return forward(*args)
