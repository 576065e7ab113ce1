# over: solution.py
# verdict: RTE
# group: uneven
# en: Use env://: the launcher chooses the port.
# zh: 用 env://，端口由启动器决定。
@@
-    os.environ.setdefault("MASTER_PORT", "0" if os.environ["WORLD_SIZE"] == "1" else "29500")
+    os.environ["MASTER_PORT"] = "29500"
