# over: solution.py
# verdict: RTE | HUNG
# group: client-errors
# en: A refused push is an answer, too: the client raises it, and the next call works.
# zh: 被拒绝的推送也是一种回答：客户端抛出它，之后的调用照常进行。
@@
-            try:
-                result = True, getattr(server, name)(worker, *args)
-            except ERRORS as error:
-                result = False, error
+            result = True, getattr(server, name)(worker, *args)
@@
-    except (EOFError, OSError):
+    except (EOFError, OSError, KeyError, ValueError, RuntimeError):
