// Output of a program with its own main: findings and counters, in the file named by CUSIM_REPORT.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "counters.h"
#include "findings.h"
#include "machine.h"

extern "C" size_t cusim_report_leaks();

namespace {
void write_report(bool with_leaks) {
    const char* const path = std::getenv("CUSIM_REPORT");
    if (!path || !*path) {
        return;
    }
    // After a fault the program frees nothing, so these leaks are not reported.
    if (cusim::checking && with_leaks && cusim::findings::num_findings() == 0) {
        cusim_report_leaks();
    }
    std::FILE* const file = std::fopen(path, "w");
    if (!file) {
        return;
    }
    const std::string text = "{\"findings\":" + cusim::findings::to_json() +
                             ",\n\"counters\":" + cusim::detect::counters_to_json() + "}\n";
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
}

size_t num_saved = 0;

pid_t owner = 0;  // a fork of the process has nothing to report

// A failed host assert ends here, without destructors.
void handle_abort(int) {
    signal(SIGALRM, SIG_DFL);
    alarm(2);  // the aborted thread may hold a lock that the report needs
    write_report(false);
    signal(SIGABRT, SIG_DFL);
    raise(SIGABRT);
}

}  // namespace

void cusim::findings::save() {
    if (getpid() == owner && num_findings() != num_saved) {
        num_saved = num_findings();
        write_report(false);
    }
}

namespace {
__attribute__((constructor)) void prepare_report() {
    owner = getpid();
    if (std::getenv("CUSIM_REPORT")) {
        signal(SIGABRT, handle_abort);
    }
}

__attribute__((destructor)) void end_report() {
    if (getpid() == owner) {
        write_report(true);
    }
}
}  // namespace
