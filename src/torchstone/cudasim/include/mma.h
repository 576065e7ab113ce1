// nvcuda::wmma, the matrix operations of a warp.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cusim/wmma.h"
