// Where an address lies: which memory it is, its shadow, and how a report calls it.
#pragma once

#include "findings.h"
#include "shadow.h"

namespace cusim::detect {
// Addresses of code, as a distance from the program, so that they fit in four bytes.
uint32_t code_offset(const void* pc);
void* code_address(uint32_t offset);
void describe_place(findings::Finding& finding, const void* address, Space space);
}  // namespace cusim::detect
