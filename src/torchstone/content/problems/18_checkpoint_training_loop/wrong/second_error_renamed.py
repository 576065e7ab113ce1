# over: solution.py
# verdict: WA property
# group: raises
# en: An exception of the second run was replaced by one of its own; it must pass through.
# zh: 第二次执行时的异常被换成了自己的异常；它应原样传出。
@@
                 result = ctx.fn(*args)
+        except ValueError as error:
+            raise RuntimeError("the recomputation failed") from error
         finally:
