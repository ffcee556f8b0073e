#include "ptx/verifier.h"

namespace ww::ptx {

Status verify(const Module& module) {
  return {};
}

}  // namespace ww::ptx
