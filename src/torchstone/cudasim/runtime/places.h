// Address classification: the memory space, its shadow, and its name in a report.
#pragma once

#include "findings.h"
#include "shadow.h"

namespace cusim::detect {
// Code addresses, relative to the program, so that they fit in four bytes.
uint32_t code_offset(const void* pc);
void* code_address(uint32_t offset);
void describe_place(findings::Finding& finding, const void* address, Space space);
}  // namespace cusim::detect
