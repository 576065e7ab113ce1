# over: solution.py
# verdict: WA property
# group: rerun
# en: metrics.jsonl is replaced: a second run must not add its lines to those of the first.
# zh: metrics.jsonl 应被替换：再次运行时不能接在上一次的行后面。
@@
-        (args.out / "metrics.jsonl").write_text(lines)
+        with open(args.out / "metrics.jsonl", "a") as file:
+            file.write(lines)
