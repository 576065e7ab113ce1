# over: solution.py
# verdict: WA property
# group: error
# en: A caller catches exceptions by their type: carry the type over, too.
# zh: 调用者按类型捕获异常，类型要一并带出来。
@@
-        raise errors[min(errors)]
+        raise RuntimeError(f"replica {min(errors)}: {errors[min(errors)]}")
