# over: solution.py
# verdict: FORBIDDEN_OP
# en: Listens on a socket of its own beside the pipes.
# zh: 在管道之外自己监听套接字。
@@
 import pickle
+import socket
@@
     """Answer every client in a thread of its own, because a pull may wait for another client."""
+    socket.create_server(("127.0.0.1", 4000))
