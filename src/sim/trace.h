// --trace: what chosen threads computed, one line an instruction, to a file.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/program.h"

namespace ww::sim {

class Trace {
 public:
  // `threads` as "block.x,y,z:thread.x,y,z"; empty: block 0,0,0, thread 0,0,0. A thread that cannot be read: kUsage.
  static Result<std::unique_ptr<Trace>> open(const std::string& path, const std::vector<std::string>& threads);

  struct Thread {
    std::array<uint32_t, 3> block{}, thread{};
  };
  const std::vector<Thread>& threads() const { return threads_; }
  // The lanes of a warp that are traced.
  uint32_t lanes_of(const Warp& warp) const;
  // After `op` ran for the lanes in `mask`.
  void record(Warp& warp, const Op& op, uint32_t mask);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<Thread> threads_;
};

}  // namespace ww::sim
