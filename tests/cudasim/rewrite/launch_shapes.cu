__global__ void put(int* x, int value) { *x = value; }
__global__ void none() {}
int main() {
    int x = 0, n = 8;
    put<<<1, 2>>>(&x, 1); EXPECT(x == 1); EXPECT_NAME("put");
    put<<<dim3(3, 4), dim3{5, 6, 7}, n << 2, nullptr>>>(&x, 2);
    EXPECT(x == 2 && last_grid.y == 4 && last_block.z == 7 && last_shared_bytes == 32);
    put << <n >> 1, 16 >> > (&x, 3); EXPECT(x == 3 && last_grid.x == 4);
    put // a comment
        <<< // another
        1, /* >>>( */ (n > 3) ? 2 : 1 // >>>
        >>> (
            &x, // the place
            4
        );
    EXPECT(x == 4 && last_block.x == 2);
    put<<<1, [&] { return n > 2 ? n << 1 : 0; }()>>>(&x, n > 3 ? 5 : 6); EXPECT(last_block.x == 16);
    put<<<{2, 3}, {4}>>>(&x, 1); EXPECT(last_grid.y == 3 && last_block.x == 4);
    if (n) none<<<1, 1>>>(); else put<<<1, 1>>>(&x, 9);
    for (int i = 0; i < 3; i++) none<<<1, 1>>>();
    EXPECT(x == 1);
    put<<<1,1>>>(NULL ? nullptr : &x,7),none<<<1,1>>>(); EXPECT(x == 7);
    return num_failed;
}
