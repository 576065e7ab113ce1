# over: solution.py
# verdict: HUNG
# group: error
# en: When rank 0 alone reads the file and fails before the group is formed, the others wait for it: let every rank read, or send the failure on.
# zh: 若只由 rank 0 读文件，而它在建立进程组之前就失败，其他 rank 会一直等它：应由每个 rank 都读，或把失败告诉大家。
@@
-    data = torch.load(args.data, weights_only=True)
+    is_first = os.environ.get("RANK", "0") == "0"
+    data = torch.load(args.data, weights_only=True) if is_first else None
@@
     dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
+    box = [data]
+    dist.broadcast_object_list(box, src=0)
+    data = box[0]
