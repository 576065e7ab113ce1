# over: solution.py
# verdict: HUNG
# group: processes
# en: A blocked pull must not keep the server from the worker for which it waits.
# zh: 等待中的 pull 不能挡住它所等的那个 worker 的连接。
@@
 from collections import deque
+from multiprocessing.connection import wait
@@
-    """Answer every client in a thread of its own, because a pull may wait for another client."""
-    threads = [
-        threading.Thread(target=_answer, args=(server, worker, conn), daemon=True)
-        for worker, conn in enumerate(conns)
-    ]
-    for thread in threads:
-        thread.start()
-    for thread in threads:
-        thread.join()
+    workers = {conn: worker for worker, conn in enumerate(conns)}
+    while workers:
+        for conn in wait(list(workers)):
+            try:
+                _answer_one(server, workers[conn], conn)
+            except (EOFError, OSError):
+                server.leave(workers.pop(conn))
+                conn.close()
@@
-def _answer(server, worker, conn):
+def _answer_one(server, worker, conn):
+    name, *args = pickle.loads(conn.recv_bytes())
@@
-        while True:
-            name, *args = pickle.loads(conn.recv_bytes())
-            try:
-                result = True, getattr(server, name)(worker, *args)
-            except ERRORS as error:
-                result = False, error
-            conn.send_bytes(pickle.dumps(result))
-    except (EOFError, OSError):
-        pass  # closed by the worker, or it has died
-    finally:
-        server.leave(worker)
-        conn.close()
+        result = True, getattr(server, name)(worker, *args)
+    except ERRORS as error:
+        result = False, error
+    conn.send_bytes(pickle.dumps(result))
