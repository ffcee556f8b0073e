#include "lower/devicelib_bitcode.h"

// Defined by the object that CMakeLists.txt makes of devicelib.bc.
extern "C" const unsigned char ww_devicelib_bitcode[];
extern "C" const unsigned long ww_devicelib_bitcode_size;

namespace ww::lower {

llvm::StringRef devicelib_bitcode() {
  return {reinterpret_cast<const char*>(ww_devicelib_bitcode), ww_devicelib_bitcode_size};
}

}  // namespace ww::lower
