# over: solution.py
# verdict: WA property
# group: edge
# en: When the source failed the buffer was emptied as at the end, and the exception was lost.
# zh: 数据源出错时像到了结尾一样清空缓冲区，异常却丢了。
@@
     buffer = list(islice(items, size))
-    for item in items:
-        place = rng.randrange(size)
-        given, buffer[place] = buffer[place], item
-        yield given
+    try:
+        for item in items:
+            place = rng.randrange(size)
+            given, buffer[place] = buffer[place], item
+            yield given
+    except (EOFError, RuntimeError, ValueError):
+        pass
     rng.shuffle(buffer)
