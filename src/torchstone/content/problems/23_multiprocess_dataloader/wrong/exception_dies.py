# over: solution.py
# verdict: WA property
# group: error
# en: Send the exception and its traceback back; the parent raises it.
# zh: 把异常和 traceback 送回来，由父进程抛出。
@@
                 data = pickle.dumps(answer)
             except Exception as error:  # noqa: BLE001
-                data = pickle.dumps((None, described(error, worker)))
+                raise
