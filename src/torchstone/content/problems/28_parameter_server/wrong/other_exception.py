# over: solution.py
# verdict: WA property
# group: client-errors
# en: The client raises the type that the server raised, not one for all.
# zh: 客户端要抛出与服务器相同的异常类型，而不是统一的一种。
@@
-                result = False, error
+                result = False, RuntimeError(str(error))
