#include "cli/ptx_file.h"

#include "base/files.h"
#include "ptx/parser.h"
#include "ptx/verifier.h"

namespace ww::cli {
namespace {

constexpr uint64_t kLargestModule = uint64_t{1} << 30;  // bytes

// The front end names place, what it found and what it expected; a remedy only where there is a better one than this.
Error with_remedy(Error error) {
  if (error.fix.empty()) error.fix = "Correct the PTX there, or compile the module again";
  return error;
}

}  // namespace

Result<PtxFile> read_ptx_file(const std::string& path) {
  WW_ASSIGN(const std::vector<uint8_t> bytes, read_file(path, kLargestModule));
  PtxFile file;
  file.text.assign(bytes.begin(), bytes.end());
  auto parsed = ptx::parse(file.text, path);
  if (!parsed.ok()) return with_remedy(std::move(parsed.error()));
  file.module = std::move(*parsed);
  if (Status verified = ptx::verify(*file.module); !verified.ok()) return with_remedy(std::move(verified.error()));
  return file;
}

}  // namespace ww::cli
