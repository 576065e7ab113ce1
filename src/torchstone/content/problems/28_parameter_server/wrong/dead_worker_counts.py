# over: solution.py
# verdict: HUNG
# group: crash
# en: The end of a pipe is a leave; otherwise one crash stops everybody.
# zh: 管道 EOF 就是离开；否则一个崩溃会卡住所有人。
@@
             name, *args = pickle.loads(conn.recv_bytes())
+            if name == "close":
+                return server.leave(worker)
@@
-        pass  # closed by the worker, or it has died
-    finally:
-        server.leave(worker)
@@
     def close(self):
+        self._conn.send_bytes(pickle.dumps(["close"]))
