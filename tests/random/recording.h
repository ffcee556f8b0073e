// Files of recorded hashes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "random/vocabulary.h"

namespace ww::programs {

// Hashes of the programs of seeds first, first + 1, ...; 0: none. `fingerprint` tells what programs they are of.
struct Recording {
  uint64_t first = 0, fingerprint = 0;
  std::vector<uint32_t> hashes;
};

// A hash of the texts of the first programs: another one once the generator or the vocabulary makes others.
uint64_t fingerprint_of(const Vocabulary& vocabulary);

// "wwrandom", first seed and fingerprint (64 bits), then 32 bits a hash, all little-endian.
std::string bytes_of(const Recording& recording);
Result<Recording> read_recording(const std::string& path);

// The hashes among the lines that `program-probe run` prints: "# fingerprint device", "seed hash" and "seed - error".
// None of a seed that two lines give different hashes of. Error: a file can't be read, or they are of different
// programs.
Result<Recording> read_logs(std::span<const std::string> paths);

// The vocabulary that programs are made of unless another one is given.
std::string default_vocabulary();

}  // namespace ww::programs
