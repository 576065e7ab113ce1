# over: good/queues.py
# verdict: WA property
# group: error
# en: Unpickling calls type(*args): classes with other signatures break the queue.
# zh: 反序列化会调用 type(*args)，构造参数不同的异常会弄坏队列。
@@
-            raise made(*error)
+            raise error
@@
-    return type(error), "".join(traceback.format_exception(error))
+    error.add_note(traceback.format_exc())
+    return error
