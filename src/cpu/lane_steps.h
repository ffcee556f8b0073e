// Values that grow from lane to lane by a constant: indices and addresses, mostly.
//
// Assumes: divergence of the same function. Guarantees: step(v) = s means v of lane l is v of lane 0 plus s * l, modulo
// v's width, for every lane, active or not; such a value is held as one scalar (its lane 0) and costs no vector.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>

#include <array>
#include <cstdint>
#include <optional>

#include "cpu/divergence.h"

namespace ww::cpu {

class LaneSteps {
 public:
  LaneSteps(const llvm::Function& function, const Divergence& divergence, std::array<uint32_t, 3> block);

  // Of a varying value; none if it differs in another way.
  std::optional<int64_t> step(const llvm::Value* value) const;

 private:
  std::optional<int64_t> find(const llvm::Instruction& instruction) const;
  std::optional<int64_t> of_operand(const llvm::Value* value) const;

  const Divergence& divergence_;
  const llvm::DataLayout& layout_;
  std::array<uint32_t, 3> block_;
  llvm::DenseMap<const llvm::Value*, int64_t> steps_;
};

}  // namespace ww::cpu
