// Whether anything can tell the bits of one NaN from those of another.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Instructions.h>

namespace ww::lower {

// Answers for the values of one function as it was when this was made. Assumes exact mode's form: the result of every
// arithmetic operation goes through ww_canonical_nan_* or a devicelib function that gives NVIDIA's NaN itself.
class NanVisibility {
 public:
  explicit NanVisibility(const llvm::Function& function);

  // False if every user of the value gives the same result for any NaN.
  bool is_visible(const llvm::Value* value) const { return visible_.contains(value); }

 private:
  llvm::DenseSet<const llvm::Value*> visible_;
};

}  // namespace ww::lower
