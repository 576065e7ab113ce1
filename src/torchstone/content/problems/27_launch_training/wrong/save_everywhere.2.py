# over: solution.py
# verdict: WA property
# group: sample
# en: Ranks overwrite each other's file; only rank 0 writes.
# zh: 多个 rank 会互相覆盖；只由 rank 0 写。
@@
+    args.out.mkdir(parents=True, exist_ok=True)
+    lines = "".join(json.dumps(line) + "\n" for line in metrics)
+    (args.out / "metrics.jsonl").write_text(lines)
     if dist.get_rank() == 0:
-        args.out.mkdir(parents=True, exist_ok=True)
         torch.save(model.cpu().state_dict(), args.out / "model.pt")
-        lines = "".join(json.dumps(line) + "\n" for line in metrics)
-        (args.out / "metrics.jsonl").write_text(lines)
