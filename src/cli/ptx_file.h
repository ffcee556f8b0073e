// A PTX file as the command reads it.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "ptx/module.h"

namespace ww::cli {

struct PtxFile {
  std::string text;
  std::shared_ptr<const ptx::Module> module;  // parsed and verified
};

// At most 1 GiB. Errors (kInput): the file can't be read; what is wrong with the PTX, always with a remedy.
Result<PtxFile> read_ptx_file(const std::string& path);

}  // namespace ww::cli
