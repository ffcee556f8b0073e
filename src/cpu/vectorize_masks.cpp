// Lane masks: 32 bits in a scalar between blocks, vectors of i1 where lanes are told apart.
#include "cpu/vectorizer.h"

namespace ww::cpu {

llvm::Value* FunctionVectorizer::expand(Value* bits, int strip) {
  if (level_.has_scatter) {
    Value* part = strip == 0 ? bits : builder_.CreateLShr(bits, uint64_t(strip) * lanes_);
    return builder_.CreateBitCast(builder_.CreateTrunc(part, builder_.getIntNTy(lanes_)),
                                  vector_of(builder_.getInt1Ty()));
  }
  llvm::SmallVector<llvm::Constant*, 16> lane_bits;
  for (unsigned i = 0; i < lanes_; ++i) lane_bits.push_back(builder_.getInt32(1u << (unsigned(strip) * lanes_ + i)));
  Value* lane_bit = llvm::ConstantVector::get(lane_bits);
  return builder_.CreateICmpEQ(builder_.CreateAnd(splat(bits), lane_bit), lane_bit);
}

llvm::Value* FunctionVectorizer::mask_strip(int strip) {
  if (mask_is_full()) return nullptr;
  Value*& mask = mask_strips_[unsigned(strip)];
  if (mask == nullptr) mask = expand(mask_, strip);
  return mask;
}

llvm::Value* FunctionVectorizer::pack_bits(llvm::ArrayRef<Value*> strips) {
  Value* result = nullptr;
  for (unsigned s = 0; s < strips.size(); ++s) {
    Value* bits = builder_.CreateBitCast(builder_.CreateFreeze(strips[s]), builder_.getIntNTy(lanes_));
    bits = builder_.CreateZExt(bits, builder_.getInt32Ty());
    if (s != 0) bits = builder_.CreateShl(bits, uint64_t(s) * lanes_);
    result = result == nullptr ? bits : builder_.CreateOr(result, bits);
  }
  return result;
}

llvm::Value* FunctionVectorizer::bits_of(const Value* condition, unsigned field) {
  if (!varying(condition))
    return builder_.CreateSelect(get(condition, kUniformStrip, field), builder_.getInt32(~0u), builder_.getInt32(0));
  llvm::SmallVector<Value*, 8> parts;
  for (unsigned s = 0; s < strips_; ++s) parts.push_back(get(condition, int(s), field));
  return pack_bits(parts);
}

llvm::Value* FunctionVectorizer::any_lane_set(Value* vector_of_i1) {
  Value* bits = builder_.CreateBitCast(vector_of_i1, builder_.getIntNTy(lanes_));
  return builder_.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()));
}

}  // namespace ww::cpu
