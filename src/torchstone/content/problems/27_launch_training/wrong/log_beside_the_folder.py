# over: solution.py
# verdict: WA property | RTE
# group: sample
# en: Whatever is written belongs into the folder of --out, and there only the two files.
# zh: 要写的东西只能写在 --out 的目录里，而且那里只有这两个文件。
@@
         args.out.mkdir(parents=True, exist_ok=True)
+        (args.out.parent / "train.log").write_text("done")
