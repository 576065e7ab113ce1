# over: solution.py
# verdict: WA property
# group: error
# en: An OSError of a replica became a RuntimeError; the type stays.
# zh: 副本的 OSError 变成了 RuntimeError；类型应当不变。
@@
+        except OSError as error:
+            errors[number] = RuntimeError(f"replica {number}: {error}")
         except Exception as error:  # noqa: BLE001
             errors[number] = error
