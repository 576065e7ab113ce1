// over: solution.cpp
// verdict: RTE
// group: layout
// en: A tensor may have more dimensions than an array of fixed size foresees.
// zh: 张量的维数可能超过定长数组预留的个数。
@@
-    std::vector<int64_t> index(sizes.size(), 0);
+    STD_TORCH_CHECK(sizes.size() <= 8, "add_constant: at most 8 dimensions");
+    int64_t index[8] = {};
