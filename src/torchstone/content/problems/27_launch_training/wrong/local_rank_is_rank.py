# over: solution.py
# verdict: RTE | WA property
# group: two-nodes
# en: LOCAL_RANK picks the GPU; RANK identifies the process.
# zh: LOCAL_RANK 用来选 GPU，RANK 才是进程编号。
@@
     device = torch.device("cpu")
+    rank, world_size = int(os.environ["LOCAL_RANK"]), int(os.environ["WORLD_SIZE"])
@@
-    dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
+    backend = "nccl" if device.type == "cuda" else "gloo"
+    dist.init_process_group(backend, rank=rank, world_size=world_size)
