// The interface for Python in a process that runs kernels: the available kernels, and findings.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "findings.h"
#include "runtime.h"

using namespace cusim;

static std::vector<const KernelEntry*>& registered() {
    static std::vector<const KernelEntry*>& kept = *new std::vector<const KernelEntry*>;
    return kept;
}

// Kernels registered by address only.
static std::vector<const KernelEntry*>& instances() {
    static std::vector<const KernelEntry*>& kept = *new std::vector<const KernelEntry*>;
    return kept;
}

// The compiler's name of the function `Instance<Kernel>::spell` contains the kernel's last.
static const char* kernel_in(const char* spelling) {
    const std::string text = spelling;
    const size_t begin = text.find("Kernel = ");
    if (begin == std::string::npos) {
        return "cudaLaunchKernel";
    }
    std::string& kept = *new std::string(text.substr(begin + 9));
    kept.erase(kept.rfind(']'));
    kept.erase(0, kept.front() == '&');
    return kept.c_str();
}

extern "C" {

void cusim_register_entry(const KernelEntry* entry) { registered().push_back(entry); }
void cusim_register_instance(KernelEntry* entry) {
    entry->name = kernel_in(entry->name);
    instances().push_back(entry);
}

const KernelEntry* cusim_find_entry(const void* identity) {
    for (const auto* const entries : {&registered(), &instances()}) {
        for (const KernelEntry* entry : *entries) {
            if (entry->identity == identity) {
                return entry;
            }
        }
    }
    return nullptr;
}
// Entries of the latest module come last, so an earlier count marks their start.
unsigned cusim_num_entries() { return static_cast<unsigned>(registered().size()); }
const KernelEntry* cusim_entry(unsigned number) { return registered()[number]; }

int cusim_run(const KernelEntry* entry, const unsigned* shape, size_t shared_bytes,
              bool cooperative, void** values) {
    const Launch launch(entry->name, {shape[0], shape[1], shape[2]}, {shape[3], shape[4], shape[5]},
                        shared_bytes, nullptr, cooperative);
    const int error = entry->run(*entry, launch, values);
    std::fflush(stdout);
    return error;
}

// The text is valid until the next call.
const char* cusim_findings() {
    static std::string& text = *new std::string;
    text = findings::to_json();
    return text.c_str();
}
void cusim_clear_findings() { findings::clear(); }
bool cusim_is_check_build() { return checking; }

}  // extern "C"
