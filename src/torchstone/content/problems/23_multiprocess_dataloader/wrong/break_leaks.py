# over: solution.py
# verdict: WA property
# group: leak
# en: A generator that is dropped runs only its finally.
# zh: 被丢弃的生成器只会执行 finally。
@@
-        # A generator that is dropped runs its finally, and nothing behind it.
@@
                 yield batch
-        finally:
+        except GeneratorExit:
+            raise
+        else:
