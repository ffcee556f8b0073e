// What the PTX manual forbids beyond the grammar.
#pragma once

#include "base/result.h"
#include "ptx/module.h"

namespace ww::ptx {

// The first violation in text order, as an error of kind kInput, or success.
Status verify(const Module& module);

}  // namespace ww::ptx
