#include "random/undefined.h"

#include <cstdlib>
#include <sstream>

#include "random/vocabulary.h"

namespace ww::programs {
namespace {

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

bool is_vector_atomic_off_global(const std::string& line) {
  const bool is_atomic = contains(line, "atom.") || contains(line, "red.");
  const bool is_vector = contains(line, ".v2.") || contains(line, ".v4.") || contains(line, ".v8.");
  return is_atomic && is_vector && contains(line, "[%generic_shared");
}

bool has_wide_instruction(const std::string& text) {
  for (const char* word : {"mma.sync", "shfl.sync", "vote.sync", "match.", "redux.sync", "movmatrix", "bar.warp.sync"})
    if (contains(text, word)) return true;
  return false;
}

}  // namespace

std::string undefined_in(const Program& program) {
  const std::string text = text_of(program);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (is_vector_atomic_off_global(line)) return "atomic of a vector at a generic address outside global memory";
  if (contains(text, "_over:") && has_wide_instruction(text))
    return "instruction of a whole warp with recursive functions";
  return "";
}

std::map<uint64_t, std::string> undefined_seeds(const std::string& path) {
  std::map<uint64_t, std::string> seeds;
  for (const std::string& line : lines_of(path)) {
    char* rest = nullptr;
    const uint64_t seed = std::strtoull(line.c_str(), &rest, 10);
    if (*rest == ' ') seeds[seed] = rest + 1;
  }
  return seeds;
}

}  // namespace ww::programs
