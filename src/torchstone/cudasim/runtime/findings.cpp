// Findings: recorded by the detectors, returned to the caller as JSON.
#include "findings.h"

#include <dlfcn.h>

#include <cstdio>
#include <iterator>
#include <mutex>
#include <tuple>
#include <vector>

namespace cusim::findings {
namespace {

std::mutex lock;
std::vector<Finding>& all() {
    static std::vector<Finding>& kept = *new std::vector<Finding>;
    return kept;
}

CUSIM_TLS void* caller = nullptr;

// For a kernel that is wrong everywhere, more findings give no further information.
constexpr size_t max_findings = 200;

}  // namespace

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", c);
            out += code;
        } else {
            out += c;
        }
    }
    return out + '"';
}

namespace {

std::string told(const std::vector<Fact>& facts) {
    std::string out;
    for (const Fact& fact : facts) {
        std::string values;
        for (const Value& value : fact.values) {
            values += (values.empty() ? "" : ",") + quoted(value.name) + ":" + value.json;
        }
        out += out.empty() ? "" : ",";
        out += "{\"say\":" + quoted(fact.name) + ",\"with\":{" + values + "}}";
    }
    return "[" + out + "]";
}

std::string place(const void* pc) {
    Dl_info info{};
    if (!pc || !dladdr(pc, &info) || !info.dli_fname) {
        return "null";
    }
    const uintptr_t offset =
        reinterpret_cast<uintptr_t>(pc) - reinterpret_cast<uintptr_t>(info.dli_fbase);
    return "[" + quoted(info.dli_fname) + "," + std::to_string(offset) + "]";
}

std::string triple(const uint3& value) {
    return "[" + std::to_string(value.x) + "," + std::to_string(value.y) + "," +
           std::to_string(value.z) + "]";
}

std::string party(const Party& one) {
    if (!one.is_known) {
        return "null";
    }
    return "{\"place\":" + place(one.pc) + ",\"block\":" + triple(one.block) +
           ",\"thread\":" + triple(one.thread) +
           ",\"write\":" + (one.is_write ? "true" : "false") + "}";
}

std::string listed(const std::vector<unsigned>& numbers) {
    std::string out;
    for (const unsigned number : numbers) {
        out += (out.empty() ? "" : ",") + std::to_string(number);
    }
    return "[" + out + "]";
}

// The lanes of each warp that wait at the same location as thread `first`.
std::vector<unsigned> waiting_with(const Worker& worker, const Block& block, unsigned first) {
    std::vector<unsigned> lanes((worker.launch->num_threads + 31) / 32);
    for (unsigned i = 0; i < block.num_waiting; i++) {
        const unsigned rank = block.waiting[i];
        if (block.sites[rank] == block.sites[first]) {
            lanes[rank / 32] |= 1u << (rank & 31);
        }
    }
    return lanes;
}

Party thread_of(const Worker& worker, const Block& block, unsigned rank, void* pc) {
    Party party;
    party.pc = pc;
    party.block = block.index;
    party.thread = worker.launch->indices[rank];
    party.is_known = true;
    return party;
}

const char* name_of(int op) {
    static const char* const names[] = {
        "__shfl_sync",       "__shfl_up_sync",   "__shfl_down_sync", "__shfl_xor_sync",
        "__ballot_sync",     "__any_sync",       "__all_sync",       "__match_any_sync",
        "__match_all_sync",  "__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync",
        "__reduce_min_sync", "__reduce_max_sync", "__reduce_and_sync", "__reduce_or_sync",
        "__reduce_xor_sync", "__syncwarp",       "__activemask",
        "operation of a group", "operation of a group"};
    static_assert(std::size(names) == CUSIM_FOLD + 1, "each operation of a warp has a name");
    return names[op];
}

std::string hex(unsigned value) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", value);
    return text;
}

}  // namespace

Value::Value(const char* value_name, uint64_t number)
    : name(value_name), json(std::to_string(number)) {}
Value::Value(const char* value_name, const std::string& text)
    : name(value_name), json(quoted(text)) {}

Party here(void* pc, bool is_write) {
    Party party;
    party.pc = pc;
    party.is_write = is_write;
    if (worker && worker->in_kernel) {
        party.block = blockIdx;
        party.thread = threadIdx;
    }
    party.is_known = true;
    return party;
}

void add(Finding finding) {
    if (worker && worker->in_kernel) {
        finding.kernel = worker->launch->name;
        finding.size = worker->launch->block;
    }
    const std::lock_guard<std::mutex> hold(lock);
    for (Finding& known : all()) {
        if (std::tie(known.at.pc, known.other.pc, known.variable) ==
                std::tie(finding.at.pc, finding.other.pc, finding.variable) &&
            std::string(known.kind) == finding.kind && std::string(known.space) == finding.space) {
            known.count++;
            return;
        }
    }
    if (all().size() < max_findings) {
        all().push_back(std::move(finding));
    }
}

size_t num_findings() {
    const std::lock_guard<std::mutex> hold(lock);
    return all().size();
}

void clear() {
    const std::lock_guard<std::mutex> hold(lock);
    all().clear();
}

std::string to_json() {
    const std::lock_guard<std::mutex> hold(lock);
    std::string out = "[";
    for (const Finding& finding : all()) {
        out += out.size() > 1 ? ",\n" : "";
        out += "{\"kind\":" + quoted(finding.kind) + ",\"space\":" + quoted(finding.space) +
               ",\"detail\":" + told(finding.detail) +
               ",\"variable\":" + quoted(finding.variable) +
               ",\"kernel\":" + quoted(finding.kernel) + ",\"at\":" + party(finding.at) +
               ",\"other\":" + party(finding.other) +
               ",\"barrier\":" + place(finding.barrier) +
               ",\"size\":" + listed({finding.size.x, finding.size.y, finding.size.z}) +
               ",\"arrived\":" + listed(finding.arrived) +
               ",\"address\":" + std::to_string(finding.address) +
               ",\"offset\":" + std::to_string(finding.offset) +
               ",\"allocation_bytes\":" + std::to_string(finding.allocation_bytes) +
               ",\"access_bytes\":" + std::to_string(finding.access_bytes) +
               ",\"count\":" + std::to_string(finding.count) + "}";
    }
    return out + "]";
}

void deadlock(Worker& worker, Block& block) {
    unsigned num_ended = 0;
    int in_warp = -1, at_barrier = block.num_waiting ? block.waiting[0] : -1;
    unsigned num_in_warp = 0, num_parked = 0;
    int parked = -1;
    for (unsigned rank = 0; rank < worker.launch->num_threads; rank++) {
        num_ended += block.threads[rank].state == State::done;
        if (block.warps[rank / 32].arrived >> (rank & 31) & 1) {
            in_warp = in_warp < 0 ? static_cast<int>(rank) : in_warp;
            num_in_warp++;
        }
        if (block.threads[rank].state == State::parked) {
            parked = parked < 0 ? static_cast<int>(rank) : parked;
            num_parked++;
        }
    }
    Finding finding;
    finding.kind = "deadlock";
    finding.detail = {say("stuck", {{"in_warp", num_in_warp},
                                    {"at_barrier", block.num_waiting},
                                    {"ended", num_ended}})};
    if (parked >= 0) {
        const unsigned rank = static_cast<unsigned>(parked);
        finding.at = thread_of(worker, block, rank, block.details[rank].pc);
        finding.detail.push_back(say("stuck-parked", {{"parked", num_parked}}));
    }
    if (in_warp >= 0) {
        const unsigned rank = static_cast<unsigned>(in_warp);
        const Waiting& waits = block.details[rank];
        finding.at = thread_of(worker, block, rank, waits.pc);
        const Request request = block.requests[rank];
        finding.detail.push_back(
            say("stuck-lanes", {{"op", name_of(op_of(request))}, {"mask", hex(mask_of(request))}}));
    }
    if (at_barrier >= 0) {
        const unsigned rank = static_cast<unsigned>(at_barrier);
        (finding.at.is_known ? finding.other : finding.at) =
            thread_of(worker, block, rank, checking ? block.pcs[rank] : nullptr);
    }
    finding.kernel = worker.launch->name;
    add(finding);
}

void grid_deadlock(Worker& worker, const std::vector<Block*>& blocks) {
    const LaunchState& launch = *worker.launch;
    Finding finding;
    finding.kind = "deadlock";
    const uint64_t num_threads = launch.num_blocks * launch.num_threads;
    finding.detail = {say("grid-incomplete", {{"waiting", launch.num_in_grid_barrier},
                                              {"threads", num_threads}})};
    for (const Block* block : blocks) {
        for (unsigned rank = 0; rank < launch.num_threads && !finding.at.is_known; rank++) {
            if (block->threads[rank].state == State::grid) {
                finding.at = thread_of(worker, *block, rank, block->details[rank].pc);
            }
        }
    }
    finding.kernel = launch.name;
    add(finding);
}

void barrier_after_exit(Worker& worker, Block& block) {
    const unsigned rank = block.waiting[0];
    Finding finding;
    finding.kind = "barrier-divergence";
    finding.detail = {say("barrier-left", {{"waiting", block.num_waiting},
                                           {"threads", worker.launch->num_threads}})};
    finding.at = thread_of(worker, block, rank, block.pcs[rank]);
    finding.arrived = waiting_with(worker, block, rank);
    add(finding);
}

void barrier_sites(Worker& worker, Block& block) {
    const unsigned first = block.waiting[0];
    if (block.num_live < worker.launch->num_threads) {
        barrier_after_exit(worker, block);
        return;
    }
    for (unsigned i = 1; i < block.num_waiting; i++) {
        const unsigned rank = block.waiting[i];
        if (block.sites[rank] != block.sites[first]) {
            Finding finding;
            finding.kind = "barrier-divergence";
            finding.detail = {say("barrier-sites")};
            finding.at = thread_of(worker, block, rank, block.pcs[rank]);
            finding.other = thread_of(worker, block, first, block.pcs[first]);
            finding.arrived = waiting_with(worker, block, rank);
            add(finding);
            return;
        }
    }
}

void warp_sites(Worker& worker, Block& block, unsigned warp, unsigned mask) {
    const unsigned base = warp * 32;
    const unsigned first = base + static_cast<unsigned>(__builtin_ctz(mask));
    for (unsigned left = mask; left; left &= left - 1) {
        const unsigned rank = base + static_cast<unsigned>(__builtin_ctz(left));
        const Waiting &one = block.details[first], &other = block.details[rank];
        const int op = op_of(block.requests[first]), other_op = op_of(block.requests[rank]);
        if (op != other_op || one.site != other.site) {
            Finding finding;
            finding.kind = "warp-divergence";
            finding.detail = {say("warp-sites", {{"lane", first & 31},
                                                 {"other_lane", rank & 31},
                                                 {"op", name_of(op)},
                                                 {"other_op", name_of(other_op)}})};
            finding.at = thread_of(worker, block, rank, other.pc);
            finding.other = thread_of(worker, block, first, one.pc);
            add(finding);
            return;
        }
    }
}

void warp_mask(Worker& worker, const Thread& thread, unsigned mask, void* pc, int op) {
    const unsigned lane = thread.rank & 31;
    if (mask >> lane & 1) {
        return;
    }
    Finding finding;
    finding.kind = "invalid-mask";
    finding.detail = {say(
        "mask-without-caller", {{"lane", lane}, {"op", name_of(op)}, {"mask", hex(mask)}})};
    finding.at = thread_of(worker, *worker.block, thread.rank, pc);
    add(finding);
}

void grid_sync_without_cooperative(Worker& worker, void* pc) {
    Finding finding;
    finding.kind = "launch";
    finding.detail = {say("grid-sync-alone")};
    finding.at = here(pc, false);
    finding.kernel = worker.launch->name;
    add(finding);
}

void configuration(const char* kernel, std::vector<Fact> detail) {
    Finding finding;
    finding.kind = "launch";
    finding.kernel = kernel;
    finding.detail = std::move(detail);
    // A helper thread has no caller of its own; all of its work belongs to one launch.
    const bool helps = !caller && worker && worker->launch;
    finding.at = here(helps ? worker->launch->place : caller, false);
    add(finding);
}

void called_from(void* pc) { caller = pc; }
void* place_of_call() { return caller; }

}  // namespace cusim::findings
