// The contents of cuda_runtime.h, force-included before a program.
#pragma once

#include "cusim/qualifiers.h"

#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cusim/vector_types.h"

#include "cusim/abi.h"
#include "cusim/atomics.h"
#include "cusim/intrinsics.h"
#include "cusim/launch.h"
#include "cusim/math.h"
#include "cusim/runtime_api.h"
#include "cusim/sync.h"
#include "cusim/warp.h"
