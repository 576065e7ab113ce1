#if CUSIM_CHECK

#include <algorithm>
#include <cstring>
#include <unordered_set>
#include <vector>

#include "findings.h"
#include "memory.h"
#include "order.h"
#include "places.h"
#include "shadow.h"

namespace cusim::detect {
namespace {

findings::Party party_of(uint32_t pc, const Moment& then, uint16_t rank, bool is_write) {
    findings::Party party;
    party.pc = code_address(pc);
    party.is_write = is_write;
    party.is_known = true;
    const LaunchState& launch = *worker->launch;
    const uint64_t block = block_of(then.epoch);
    party.block = {static_cast<unsigned>(block % launch.grid.x),
                   static_cast<unsigned>(block / launch.grid.x % launch.grid.y),
                   static_cast<unsigned>(block / launch.grid.x / launch.grid.y)};
    if (rank < launch.num_threads) {
        party.thread = launch.indices[rank];
    }
    return party;
}

// A plain read of a word before an atomic access to it (a look), as in every loop around atomicCAS,
// is not a race: its value is not relied on. Some thread shows sooner or later whether a read is a
// look, so findings about reads and atomic writes are deferred to the end of the launch.
struct Suspicion {
    uint32_t read_pc;
    findings::Finding finding;
};
auto& suspicions = *new std::vector<Suspicion>;
auto& looks = *new std::unordered_set<uint32_t>;

// A thread's last read that was not atomic; the cell may have other readers since.
struct LastRead {
    const Cell* cell;
    uint32_t epoch;
    uint32_t pc;
};
LastRead last_reads[max_threads];

void suspect(uint32_t read_pc, findings::Finding finding) {
    for (const Suspicion& one : suspicions) {
        if (one.read_pc == read_pc && one.finding.at.pc == finding.at.pc &&
            one.finding.other.pc == finding.other.pc) {
            return;
        }
    }
    suspicions.push_back({read_pc, std::move(finding)});
}

// Threads that write the same value are harmless: racecheck reports them as information. The
// written value is known only after the write, so the finding is deferred to the next access.
struct PendingWrite {
    void* address = nullptr;
    unsigned size = 0;
    unsigned char before[4];
    findings::Finding finding;
};
PendingWrite& pending = *new PendingWrite;

findings::Finding race_of(const char* kind, const Access& access, Space space,
                          findings::Party other) {
    findings::Finding finding;
    finding.kind = kind;
    finding.at = findings::here(access.pc, access.is_write);
    finding.other = other;
    finding.access_bytes = access.size;
    describe_place(finding, access.address, space);
    finding.kernel = worker->launch->name;
    finding.size = worker->launch->block;
    const uint3 &mine = finding.at.block, &its = other.block;
    if (mine.x == its.x && mine.y == its.y && mine.z == its.z) {
        finding.barrier = worker->block->last_barrier;
    }
    return finding;
}

__attribute__((noinline)) void tell_race(const char* kind, const Access& access, Space space,
                                         findings::Party other, bool other_is_atomic) {
    // For a wide copy, compares this word only.
    if (access.copied && other.is_write &&
        std::memcmp(access.copied, access.address, std::min(access.size, 4u)) == 0) {
        return;  // the same value again
    }
    findings::Finding finding = race_of(kind, access, space, other);
    if (access.is_atomic != other_is_atomic) {
        finding.detail = {findings::say("one-is-atomic")};
    }
    if (!access.is_write && other_is_atomic) {
        suspect(code_offset(access.pc), std::move(finding));
        return;
    }
    if (access.is_atomic && !other.is_write && !other_is_atomic) {
        suspect(code_offset(other.pc), std::move(finding));
        return;
    }
    if (!access.is_atomic && access.is_write && other.is_write && !other_is_atomic &&
        !access.copied && access.size <= sizeof pending.before) {
        pending.address = access.address;
        pending.size = access.size;
        std::memcpy(pending.before, access.address, access.size);
        pending.finding = std::move(finding);
        return;
    }
    findings::add(finding);
}

// No thread waited for the copy. Only a wait completes it; neither a barrier nor program order
// does.
__attribute__((noinline)) void tell_not_awaited(const Cell& cell, const Access& access,
                                                Space space) {
    findings::Finding finding =
        race_of(access.is_write ? "WAW" : "RAW", access, space,
                party_of(cell.write_pc, cell.written(), cell.writer, true));
    finding.detail = {findings::say("copy-not-awaited")};
    findings::add(std::move(finding));
}

__attribute__((noinline)) void read_of_nothing(Cell& cell, unsigned bytes, const Access& access,
                                               Space space) {
    // Stores that the compiler does not instrument still change the value. A word without poison
    // has been written.
    const uintptr_t word = reinterpret_cast<uintptr_t>(access.address) & ~uintptr_t{3};
    for (unsigned byte = 0; byte < 4; byte++) {
        if (*reinterpret_cast<const unsigned char*>(word + byte) != poison) {
            cell.is_set = 15;
            return;
        }
    }
    findings::Finding finding;
    finding.kind = "uninitialized";
    finding.at = findings::here(access.pc, false);
    finding.access_bytes = access.size;
    finding.detail = {space == Space::shared ? findings::say("unwritten-by-block")
                                             : findings::say("unwritten")};
    describe_place(finding, access.address, space);
    findings::add(finding);
    static_cast<void>(bytes);
}

// A reader to be named in the finding: preferably not the current writer.
uint16_t one_reader(const Cell& cell) {
    const unsigned me = cusim_rank;
    if (cell.reader == several_warps) {
        const unsigned first = cell.read_lanes & 0xffff, second = cell.read_lanes >> 16;
        return static_cast<uint16_t>(first != me ? first : second);
    }
    if (!(cell.reader & lanes_of_one_warp)) {
        return cell.reader;
    }
    const unsigned base = cell.reader & 0x3ff;
    const unsigned own = base / 32 == me / 32 ? 1u << (me & 31) : 0;
    const unsigned others = cell.read_lanes & ~own;
    return static_cast<uint16_t>(base + __builtin_ctz(others ? others : cell.read_lanes));
}

// Atomic accesses do not race with each other, unless one has block scope and they are of different
// blocks.
bool both_atomic(const Access& access, bool other, const Cell& cell, uint32_t epoch) {
    return access.is_atomic && other &&
           (!(access.is_within_block || cell.is_within_block) || is_own_block(epoch));
}

bool is_read_ordered(const Cell& cell) {
    if (!(cell.reader & lanes_of_one_warp)) {
        return is_ordered(cell.read(), cell.reader);
    }
    if (cell.read_epoch < all_before) {
        return true;
    }
    if (cell.read_epoch != now) {
        // In another block any of its threads may have read; the first one represents all.
        return is_own_block(cell.read_epoch) || is_ordered(cell.read(), cell.reader & 0x3ff);
    }
    return cell.reader != several_warps && (cell.reader & 0x3ff) / 32 == cusim_rank / 32 &&
           are_ordered(cell.read_lanes, cell.read_clock);
}

void remember_read(Cell& cell, unsigned bytes, const Access& access) {
    const uint16_t me = static_cast<uint16_t>(cusim_rank);
    // Atomic reads are also writes, and recorded as such: a plain read is more informative.
    const bool says_less = cell.is_atomic_read && !access.is_atomic;
    // Reads ordered before this one are dropped: what is ordered after this is ordered after them.
    if (cell.read_epoch == now && cell.reader != me && (cell.read_bytes & bytes) && !says_less &&
        !(is_finely_ordered && is_read_ordered(cell))) {
        if (cell.reader != several_warps && (cell.reader & 0x3ff) / 32 == me / 32u) {
            const bool is_first = !(cell.reader & lanes_of_one_warp);
            const uint32_t before = is_first ? 1u << (cell.reader & 31) : cell.read_lanes;
            cell.read_lanes = before | 1u << (me & 31);
            cell.reader = static_cast<uint16_t>(lanes_of_one_warp | (me & ~31u));
        } else if (cell.reader != several_warps) {
            cell.read_lanes = one_reader(cell) | uint32_t{me} << 16;
            cell.reader = several_warps;
        }
        cell.read_clock = std::max(cell.read_clock, static_cast<uint16_t>(clocks[me]));
        cell.read_bytes |= static_cast<uint8_t>(bytes);
        cell.is_atomic_read &= access.is_atomic;
        return;
    }
    cell.read_epoch = now;
    cell.read_clock = static_cast<uint16_t>(clocks[me]);
    cell.reader = me;
    cell.read_bytes = static_cast<uint8_t>(bytes);
    cell.is_atomic_read = access.is_atomic;
    cell.read_pc = code_offset(access.pc);
}

void remember_write(Cell& cell, unsigned bytes, const Access& access) {
    const uint16_t me = static_cast<uint16_t>(cusim_rank);
    if (cell.write_epoch == now && cell.writer == me) {
        cell.write_bytes |= static_cast<uint8_t>(bytes);
    } else {
        cell.write_bytes = static_cast<uint8_t>(bytes);
        cell.writer = me;
    }
    cell.write_epoch = now;
    cell.write_clock = static_cast<uint16_t>(clocks[me]);
    cell.is_atomic_write = access.is_atomic;
    cell.is_within_block |= access.is_within_block;
    cell.write_pc = code_offset(access.pc);
}

}  // namespace

void tell_source_changed(const Cell& cell, const Copy& copy, const void* address, Space space) {
    if (!cell.write_bytes || cell.write_epoch < all_before) {
        return;  // by an access that was not recorded
    }
    findings::Finding finding;
    finding.kind = "WAR";
    finding.at = party_of(cell.write_pc, cell.written(), cell.writer, true);
    finding.other = findings::here(copy.pc, false);
    finding.other.thread = worker->launch->indices[copy.rank];
    finding.detail = {findings::say("copy-not-awaited")};
    describe_place(finding, address, space);
    findings::add(std::move(finding));
}

void tell_pending() {
    if (pending.address &&
        std::memcmp(pending.before, pending.address, pending.size) != 0) {
        findings::add(std::move(pending.finding));
    }
    pending.address = nullptr;
}

void tell_suspicions() {
    tell_pending();
    for (Suspicion& one : suspicions) {
        if (looks.count(one.read_pc) == 0) {
            findings::add(std::move(one.finding));
        }
    }
    suspicions.clear();
    looks.clear();
}

void note_look(const Cell& cell) {
    const unsigned me = cusim_rank;
    if (cell.reader == me && cell.read_epoch == now && !cell.is_atomic_read) {
        looks.insert(cell.read_pc);
    }
    const LastRead& last = last_reads[me];
    if (last.cell == &cell && last.epoch == now) {
        looks.insert(last.pc);
    }
}

void visit(Cell& cell, unsigned bytes, const Access& access, Space space) {
    const uint16_t me = static_cast<uint16_t>(cusim_rank);
    if (pending.address) {
        tell_pending();
    }
    if (access.is_atomic && cell.reader == me && cell.read_epoch == now) {
        // A read before atomicAdd is not a look: several threads may have read the same number.
        if (!cell.is_atomic_read && access.is_comparing) {
            looks.insert(cell.read_pc);
            cell.is_atomic_read = 1;
        }
    }
    const bool is_shared = space == Space::shared;
    if (cell.write_epoch < all_before && cell.read_epoch < all_before) {
        cell.is_within_block = 0;
    }
    // Shared memory is uninitialized at the start of a block.
    if (is_shared && (cell.is_set | cell.in_flight) && !is_own_block(cell.write_epoch)) {
        cell.is_set = cell.in_flight = 0;
    }
    const bool is_in_flight = (cell.in_flight & bytes) != 0;
    if (is_in_flight && !access.copied) {
        tell_not_awaited(cell, access, space);
    }
    if (!access.is_write) {
        if (!access.is_atomic) {
            last_reads[me] = {&cell, now, code_offset(access.pc)};
        }
        // Just read by this thread or by all: nothing new can be found or recorded.
        if (cell.read_epoch == now && (cell.reader == me || cell.reader == several_warps) &&
            (cell.read_bytes & bytes) == bytes && cell.write_epoch != now &&
            cell.is_atomic_read == access.is_atomic) {
            return;
        }
        if ((cell.is_set & bytes) != bytes && !is_in_flight) {
            read_of_nothing(cell, bytes, access, space);
        }
    }
    // Two copies are compared when the second one completes.
    if ((cell.write_bytes & bytes) && cell.write_epoch >= all_before && !is_in_flight &&
        !both_atomic(access, cell.is_atomic_write, cell, cell.write_epoch) &&
        !(is_shared && !is_own_block(cell.write_epoch)) &&
        !is_ordered(cell.written(), cell.writer)) {
        tell_race(access.is_write ? "WAW" : "RAW", access, space,
                  party_of(cell.write_pc, cell.written(), cell.writer, true), cell.is_atomic_write);
    }
    if (!access.is_write) {
        remember_read(cell, bytes, access);
        return;
    }
    if ((cell.read_bytes & bytes) && cell.read_epoch >= all_before &&
        !both_atomic(access, cell.is_atomic_read, cell, cell.read_epoch) &&
        !(is_shared && !is_own_block(cell.read_epoch)) && !is_read_ordered(cell)) {
        tell_race("WAR", access, space,
                  party_of(cell.read_pc, cell.read(), one_reader(cell), false),
                  cell.is_atomic_read);
    }
    if (access.copied) {
        cell.in_flight |= static_cast<uint8_t>(bytes);
    } else {
        cell.is_set |= static_cast<uint8_t>(bytes);
        cell.in_flight &= static_cast<uint8_t>(~bytes);
    }
    remember_write(cell, bytes, access);
}

void visit_arrival(Cell& cell, unsigned bytes, const Access& access, bool is_own) {
    if ((cell.in_flight & bytes) != bytes && is_own) {
        // Another thread has written here in between.
        visit(cell, bytes, access, Space::shared);
    }
    tell_pending();
    cell.in_flight &= static_cast<uint8_t>(~bytes);
    cell.is_set |= static_cast<uint8_t>(bytes);
    if (is_own) {
        // For the others the write happens now; no thread has accessed it since the issue of the
        // copy. The phase of a barrier, however, orders all copies issued before it, for all
        // threads.
        remember_write(cell, bytes, access);
    }
}

}  // namespace cusim::detect

#endif
