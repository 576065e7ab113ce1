# over: solution.py
# verdict: WA property
# group: error
# en: A TimeoutError of the loader reaches the consumer as another exception.
# zh: 加载器的 TimeoutError 到消费者那里变成了另一个异常。
@@
     if error is not None:
-        raise error
+        if isinstance(error, TimeoutError):
+            raise RuntimeError("the loader took too long") from error
+        raise error
