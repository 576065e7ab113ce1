# over: solution.py
# verdict: HUNG | RTE | WA property
# group: old-launcher
# en: --local-rank counts the processes of one node: it comes again on the next one and is to be ignored.
# zh: --local-rank 只是一个节点内的编号，换一个节点又会重复：应当忽略它。
@@
-    parser.add_argument("--local-rank", "--local_rank", type=int, default=0)
-    return parser.parse_args()
+    parser.add_argument("--local-rank", "--local_rank", type=int)
+    args = parser.parse_args()
+    if args.local_rank is not None:
+        os.environ["RANK"] = str(args.local_rank)
+    return args
