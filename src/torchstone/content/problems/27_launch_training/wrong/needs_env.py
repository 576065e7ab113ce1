# over: solution.py
# verdict: RTE
# group: plain
# en: Give the variables defaults: WORLD_SIZE 1, RANK 0.
# zh: 给环境变量默认值（WORLD_SIZE 为 1，RANK 为 0），单机也能直接运行。
@@
-    for name, default in (("RANK", "0"), ("WORLD_SIZE", "1"), ("LOCAL_RANK", "0")):
-        os.environ.setdefault(name, default)
-    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
-    os.environ.setdefault("MASTER_PORT", "0" if os.environ["WORLD_SIZE"] == "1" else "29500")
