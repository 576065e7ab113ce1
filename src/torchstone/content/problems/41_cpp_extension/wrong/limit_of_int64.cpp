// over: solution.cpp
// verdict: WA property
// group: errors
// en: Constants between 9.2e18 and 2^63 fit int64, but the statement refuses them as well.
// zh: 9.2e18 到 2^63 之间的常数 int64 也放得下，但题目规定同样要拒绝。
@@
-        STD_TORCH_CHECK(std::abs(c) < 9.2e18 && c == std::trunc(c),
+        STD_TORCH_CHECK(std::abs(c) < 0x1p63 && c == std::trunc(c),
