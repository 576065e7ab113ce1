// feature: host code with the whole standard library: std::atomic, threads, local statics
// area: language
#include <algorithm>
#include <any>
#include <array>
#include <atomic>
#include <bitset>
#include <cassert>
#include <cctype>
#include <cerrno>
#include <cfenv>
#include <cfloat>
#include <charconv>
#include <chrono>
#include <cinttypes>
#include <climits>
#include <clocale>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cuchar>
#include <cwchar>
#include <cwctype>
#include <deque>
#include <exception>
#include <filesystem>
#include <forward_list>
#include <fstream>
#include <functional>
#include <future>
#include <initializer_list>
#include <iomanip>
#include <ios>
#include <iosfwd>
#include <iostream>
#include <istream>
#include <iterator>
#include <limits>
#include <list>
#include <locale>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <ostream>
#include <queue>
#include <random>
#include <ratio>
#include <regex>
#include <scoped_allocator>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <stack>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <valarray>
#include <variant>
#include <vector>

__global__ void put(int* out, int value) { *out = value; }

// Made when it is first called, by one thread.
const std::string& name() {
    static const std::string kept(3, 'x');
    return kept;
}

int main() {
    std::atomic<int> sum{0};
    std::atomic<unsigned char> byte{1};
    std::atomic<short> word{2};
    std::atomic<long long> large{4};
    std::atomic_flag flag = ATOMIC_FLAG_INIT;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++) {
        threads.emplace_back([&] {
            sum += static_cast<int>(name().size());
            byte.fetch_or(2);
            word.fetch_sub(1, std::memory_order_relaxed);
            large.exchange(8);
            while (flag.test_and_set(std::memory_order_acquire)) {
            }
            flag.clear(std::memory_order_release);
        });
    }
    for (std::thread& each : threads) {
        each.join();
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
    int expected = 12;
    const bool swapped = sum.compare_exchange_strong(expected, 20);
    const bool again = sum.compare_exchange_strong(expected, 30);
    int plain = 5;
    __sync_fetch_and_add(&plain, 2);
    __atomic_fetch_nand(&plain, 3, __ATOMIC_SEQ_CST);
    auto future = std::async(std::launch::async, [] { return 6; });
    const auto shared = std::make_shared<int>(future.get());
    int *out, host = 0;
    cudaMalloc(&out, sizeof(int));
    put<<<1, 1>>>(out, *shared);
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    const bool ok = swapped && !again && expected == 20 && sum == 20 && byte == 3 && word == -2 &&
                    large == 8 && plain == ~3 && host == 6 &&
                    std::regex_match("abc", std::regex("a.c"));
    if (!ok) {
        std::cout << sum << ' ' << int(byte) << ' ' << word << ' ' << large << ' ' << plain << ' '
                  << host << '\n';
    }
    return !ok;
}
