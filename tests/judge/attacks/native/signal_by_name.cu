// verdict: FORBIDDEN_OP
// trick: It catches the signals that would end it.
extern "C" void (*signal(int number, void (*handler)(int)))(int);
static void nothing(int) {}
static const auto old = signal(11, nothing);
