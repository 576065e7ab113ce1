// Alias header for programs that include this name.
#pragma once

#include "cusim/vector_types.h"
