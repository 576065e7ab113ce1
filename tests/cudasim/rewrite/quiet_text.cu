// größe: 名 k<<<1, 1>>>(x) __shared__ tex2D(
/* extern __shared__ float a[]; <<< */
const char* text = "a<<<1, 2>>>(b) __shared__ int a = 3; \"tex2D(\"";
const char* raw = R"x(<<< __shared__ int a = 3; )" tex2D(
  )x"; const char mark = '<'; const char quote = '\'';
struct In {}; int operator<<(In, int) { return 1; }
struct Out { Out& operator<<(int) { return *this; } template <class T> Out& operator<<(T*) { return *this; } };
static int big = 1'000'000 >> 2, small = (1 << 2) < 3 ? 1 : 2;
__glo\
bal__ void spliced(int* x) { __sha\
red__ int a[2]; a[1] = 7; *x = a[1]; }
%:define DIGRAPH(k) k<<<1, 1>>>(&x)
int main() <%
    int x = 0; int y<:2:> = {1, 2};
    spliced<\
<<1, 2>>>(&x); EXPECT(x == 7);
    x = 0; DIGRAPH(spliced); EXPECT(x == 7);
    Out out; out << 1 << 2; out.operator<<<int>(&x);
    EXPECT(std::strstr(raw, "<<< __shared__ int a = 3; )\" tex2D(\n  ") == raw);
    EXPECT(y[0] < y[1] && big == 250000 && small == 2 && mark == '<' && quote == '\'' && text);
    return num_failed;
%>
