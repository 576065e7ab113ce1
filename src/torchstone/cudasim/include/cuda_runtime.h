// The runtime API and the device functions; included before every program anyway.
#pragma once

#include "cusim/cusim.h"
