# over: solution.py
# verdict: WA property
# group: error
# en: A rank that cannot go on must end with an exit code other than 0: the launcher knows nothing else.
# zh: 无法继续的 rank 必须以非 0 退出码结束：启动器只看退出码。
@@
-    data = torch.load(args.data, weights_only=True)
+    try:
+        data = torch.load(args.data, weights_only=True)
+    except Exception as error:
+        print(f"cannot read {args.data}: {error}")
+        return
