// Loads, stores, local memory.
//
// A uniform address is one access. Otherwise each strip is tested while it runs: lanes that read neighbouring places
// make one vector access (with the fields of v2 and v4 loads sorted apart by shuffles), others a gather or scatter, or
// one access a lane where the level has none. An inactive lane reads and writes the context's sink there, so that no
// branch is needed.
#include <llvm/IR/MDBuilder.h>

#include "cpu/vectorizer.h"

namespace ww::cpu {

llvm::Value* FunctionVectorizer::space_base(unsigned address_space) {
  if (address_space == 3) return context_field(offsetof(WarpContext, shared), Type::getInt64Ty(source_.getContext()));
  if (address_space == 5)
    return context_field(offsetof(WarpContext, local_window), Type::getInt64Ty(source_.getContext()));
  return nullptr;
}

FunctionVectorizer::Address FunctionVectorizer::address_of(const Value* pointer, int strip) {
  return {space_base(pointer->getType()->getPointerAddressSpace()), get(pointer, strip)};
}

llvm::Value* FunctionVectorizer::host_address(const Address& address) {
  Type* type =
      address.offset->getType()->isVectorTy() ? (Type*)vector_of(builder_.getInt64Ty()) : builder_.getInt64Ty();
  Value* result = builder_.CreateZExtOrTrunc(address.offset, type);
  if (address.base == nullptr) return result;
  return builder_.CreateAdd(type->isVectorTy() ? splat(address.base) : address.base, result);
}

Status FunctionVectorizer::emit_alloca(llvm::AllocaInst& allocation) {
  const uint64_t alignment = std::max<uint64_t>(16, allocation.getAlign().value());
  const uint64_t size = layout_.getTypeAllocSize(allocation.getAllocatedType()).getFixedValue();
  const uint64_t stride = (std::max<uint64_t>(size, 1) + alignment - 1) / alignment * alignment;
  if (!allocation.isStaticAlloca() || stride > (1u << 24)) return unsupported(allocation, "local memory of this size");
  state_.stack_bytes += stride * kWarpLanes;
  llvm::IRBuilder<> builder(entry_, entry_->begin());
  llvm::AllocaInst* memory = builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), stride * kWarpLanes));
  memory->setAlignment(llvm::Align(alignment));
  Value* base = builder_.CreateSub(builder_.CreatePtrToInt(memory, builder_.getInt64Ty()), space_base(5));
  base = builder_.CreateTrunc(base, builder_.getInt32Ty());
  for (int s = 0; s < int(strips_); ++s) {
    Value* offsets = builder_.CreateMul(lane_numbers(s), splat(builder_.getInt32(uint32_t(stride))));
    set(&allocation, s, builder_.CreateAdd(splat(base), offsets));
  }
  return {};
}

// --- one vector for a strip, or a place a lane

llvm::SmallVector<llvm::Value*, 4> FunctionVectorizer::choose(
    Value* condition, const std::function<llvm::SmallVector<Value*, 4>()>& likely,
    const std::function<llvm::SmallVector<Value*, 4>()>& unlikely) {
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition)) return known->isOne() ? likely() : unlikely();
  llvm::LLVMContext& context = source_.getContext();
  BasicBlock* yes = BasicBlock::Create(context, "together", &target_);
  BasicBlock* no = BasicBlock::Create(context, "apart", &target_);
  BasicBlock* join = BasicBlock::Create(context, "accessed", &target_);
  builder_.CreateCondBr(condition, yes, no, llvm::MDBuilder(context).createBranchWeights(64, 1));
  builder_.SetInsertPoint(yes);
  const auto from_yes = likely();
  yes = builder_.GetInsertBlock();
  builder_.CreateBr(join);
  builder_.SetInsertPoint(no);
  const auto from_no = unlikely();
  no = builder_.GetInsertBlock();
  builder_.CreateBr(join);
  builder_.SetInsertPoint(join);
  llvm::SmallVector<Value*, 4> result;
  for (unsigned i = 0; i < from_yes.size(); ++i) {
    llvm::PHINode* phi = builder_.CreatePHI(from_yes[i]->getType(), 2);
    phi->addIncoming(from_yes[i], yes);
    phi->addIncoming(from_no[i], no);
    result.push_back(phi);
  }
  return result;
}

// Whether the active lanes stand `stride` bytes apart, in order (and, for `need_all`, all lanes are active).
llvm::Value* FunctionVectorizer::consecutive(const Address& address, unsigned stride, Value* mask, bool need_all) {
  Type* type = address.offset->getType();
  Type* scalar = type->getScalarType();
  llvm::SmallVector<llvm::Constant*, 16> steps;
  for (unsigned i = 0; i < lanes_; ++i) steps.push_back(llvm::ConstantInt::get(scalar, uint64_t(i) * stride));
  Value* first = builder_.CreateExtractElement(address.offset, uint64_t(0));
  Value* expected = builder_.CreateAdd(splat(first), llvm::ConstantVector::get(steps));
  Value* equal = builder_.CreateICmpEQ(address.offset, expected);
  if (mask != nullptr)
    equal = need_all ? builder_.CreateAnd(equal, mask) : builder_.CreateOr(equal, builder_.CreateNot(mask));
  Value* bits = builder_.CreateBitCast(builder_.CreateFreeze(equal), builder_.getIntNTy(lanes_));
  return builder_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()));
}

// The same where the distance of lanes is known: a constant, unless inactive lanes decide.
llvm::Value* FunctionVectorizer::known_consecutive(bool is_consecutive, Value* mask, bool need_all) {
  if (!is_consecutive || mask == nullptr || !need_all) return builder_.getInt1(is_consecutive);
  Value* bits = builder_.CreateBitCast(mask, builder_.getIntNTy(lanes_));
  return builder_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()));
}

// Where a strip of a row starts.
FunctionVectorizer::Address FunctionVectorizer::row_start(const Value* pointer, int64_t step, int strip) {
  Value* first = get(pointer, kUniformStrip);
  Value* distance = llvm::ConstantInt::get(first->getType(), uint64_t(step) * unsigned(strip) * lanes_, false, true);
  return {space_base(pointer->getType()->getPointerAddressSpace()), builder_.CreateAdd(first, distance)};
}

static std::string type_name(const llvm::Type* type) {
  return (type->isFloatingPointTy() ? "f" : "i") + std::to_string(type->getScalarSizeInBits());
}

// Volatility and order of an access of a whole, for the one that is made for a part of it.
template <typename Access>
static void order_as(Access& made, const Access& source) {
  made.setVolatile(source.isVolatile());
  if (source.isAtomic()) made.setAtomic(source.getOrdering());
}

llvm::Value* FunctionVectorizer::gather(Type* type, const Address& address, uint64_t extra, Value* mask,
                                        const llvm::LoadInst* like) {
  llvm::FixedVectorType* vector = vector_of(type);
  const llvm::Align alignment(std::max<uint64_t>(1, type->getScalarSizeInBits() / 8));
  if (level_.has_gather && like == nullptr && type->getScalarSizeInBits() >= 32) {
    Value* places;
    if (address.base != nullptr) {
      Value* base = builder_.CreateAdd(address.base, builder_.getInt64(extra));
      places = builder_.CreateGEP(builder_.getInt8Ty(), host_pointer(base), address.offset);
    } else {
      Value* moved = address.offset;
      if (extra != 0) moved = builder_.CreateAdd(moved, splat(builder_.getInt64(extra)));
      places = builder_.CreateIntToPtr(moved, vector_of(builder_.getPtrTy()));
    }
    Value* all = mask != nullptr ? mask : llvm::Constant::getAllOnesValue(vector_of(builder_.getInt1Ty()));
    return builder_.CreateMaskedGather(vector, places, alignment, all, llvm::Constant::getNullValue(vector));
  }
  Value* places = host_address(address);
  if (extra != 0) places = builder_.CreateAdd(places, splat(builder_.getInt64(extra)));
  if (mask != nullptr)
    places =
        builder_.CreateSelect(mask, places, splat(context_field(offsetof(WarpContext, sink), builder_.getInt64Ty())));
  const auto load_each = [&](llvm::ArrayRef<Value*> arguments) {
    Value* result = llvm::PoisonValue::get(vector);
    for (unsigned i = 0; i < lanes_; ++i) {
      Value* place = host_pointer(builder_.CreateExtractElement(arguments[0], i));
      llvm::LoadInst* load = builder_.CreateAlignedLoad(type, place, alignment);
      if (like != nullptr) order_as(*load, *like);
      result = builder_.CreateInsertElement(result, load, i);
    }
    return result;
  };
  if (like != nullptr || level_.has_scatter) return load_each({places});
  return routine("gather." + type_name(type), vector, {places}, load_each, llvm::MemoryEffects::readOnly());
}

void FunctionVectorizer::scatter(Value* value, const Address& address, uint64_t extra, Value* mask,
                                 const llvm::StoreInst* like) {
  Type* type = value->getType()->getScalarType();
  const llvm::Align alignment(std::max<uint64_t>(1, type->getScalarSizeInBits() / 8));
  if (level_.has_scatter && like == nullptr && type->getScalarSizeInBits() >= 32) {
    Value* places;
    if (address.base != nullptr) {
      Value* base = builder_.CreateAdd(address.base, builder_.getInt64(extra));
      places = builder_.CreateGEP(builder_.getInt8Ty(), host_pointer(base), address.offset);
    } else {
      Value* moved = address.offset;
      if (extra != 0) moved = builder_.CreateAdd(moved, splat(builder_.getInt64(extra)));
      places = builder_.CreateIntToPtr(moved, vector_of(builder_.getPtrTy()));
    }
    Value* all = mask != nullptr ? mask : llvm::Constant::getAllOnesValue(vector_of(builder_.getInt1Ty()));
    builder_.CreateMaskedScatter(value, places, alignment, all);
    return;
  }
  Value* places = host_address(address);
  if (extra != 0) places = builder_.CreateAdd(places, splat(builder_.getInt64(extra)));
  if (mask != nullptr)
    places =
        builder_.CreateSelect(mask, places, splat(context_field(offsetof(WarpContext, sink), builder_.getInt64Ty())));
  const auto store_each = [&](llvm::ArrayRef<Value*> arguments) -> Value* {
    for (unsigned i = 0; i < lanes_; ++i) {
      Value* place = host_pointer(builder_.CreateExtractElement(arguments[0], i));
      Value* lane = builder_.CreateExtractElement(arguments[1], i);
      llvm::StoreInst* store = builder_.CreateAlignedStore(lane, place, alignment);
      if (like != nullptr) order_as(*store, *like);
    }
    return nullptr;
  };
  if (like != nullptr || level_.has_scatter)
    store_each({places, value});
  else
    routine("scatter." + type_name(type), builder_.getVoidTy(), {places, value}, store_each,
            llvm::MemoryEffects::unknown());
}

// Elements that stand in memory as lane 0's fields, lane 1's fields, ...: to one vector a field. 1, 2 or 4 fields.
llvm::SmallVector<llvm::Value*, 4> FunctionVectorizer::deinterleave(llvm::ArrayRef<Value*> loaded) {
  const int half = int(lanes_) / 2;
  llvm::SmallVector<Value*, 4> result;
  if (loaded.size() == 1) return {loaded[0]};
  if (loaded.size() == 2) {
    for (int field = 0; field < 2; ++field) {
      llvm::SmallVector<int, 16> pick;
      for (int i = 0; i < int(lanes_); ++i) pick.push_back(2 * i + field);
      result.push_back(builder_.CreateShuffleVector(loaded[0], loaded[1], pick));
    }
    return result;
  }
  // Pairs of fields from each half of the lanes, then the halves together.
  std::array<std::array<Value*, 2>, 2> pairs;  // [half][fields 0 and 1, or 2 and 3]
  for (int h = 0; h < 2; ++h)
    for (int pair = 0; pair < 2; ++pair) {
      llvm::SmallVector<int, 16> pick;
      for (int field = 0; field < 2; ++field)
        for (int i = 0; i < half; ++i) pick.push_back(4 * i + 2 * pair + field);
      pairs[h][pair] = builder_.CreateShuffleVector(loaded[2 * h], loaded[2 * h + 1], pick);
    }
  for (int field = 0; field < 4; ++field) {
    llvm::SmallVector<int, 16> pick;
    for (int h = 0; h < 2; ++h)
      for (int i = 0; i < half; ++i) pick.push_back(h * int(lanes_) + (field % 2) * half + i);
    result.push_back(builder_.CreateShuffleVector(pairs[0][field / 2], pairs[1][field / 2], pick));
  }
  return result;
}

llvm::SmallVector<llvm::Value*, 4> FunctionVectorizer::interleave(llvm::ArrayRef<Value*> fields) {
  const int lanes = int(lanes_), half = lanes / 2;
  llvm::SmallVector<Value*, 4> result;
  if (fields.size() == 1) return {fields[0]};
  if (fields.size() == 2) {
    for (int part = 0; part < 2; ++part) {
      llvm::SmallVector<int, 16> pick;
      for (int i = 0; i < half; ++i) {
        pick.push_back(part * half + i);
        pick.push_back(lanes + part * half + i);
      }
      result.push_back(builder_.CreateShuffleVector(fields[0], fields[1], pick));
    }
    return result;
  }
  for (int h = 0; h < 2; ++h) {
    std::array<Value*, 2> pairs;
    for (int pair = 0; pair < 2; ++pair) {
      llvm::SmallVector<int, 16> pick;
      for (int field = 0; field < 2; ++field)
        for (int i = 0; i < half; ++i) pick.push_back(field * lanes + h * half + i);
      pairs[unsigned(pair)] =
          builder_.CreateShuffleVector(fields[unsigned(2 * pair)], fields[unsigned(2 * pair + 1)], pick);
    }
    for (int part = 0; part < 2; ++part) {
      llvm::SmallVector<int, 16> pick;
      for (int e = 0; e < lanes; ++e) {
        const int lane = part * lanes / 4 + e / 4, field = e % 4;
        pick.push_back((field / 2) * lanes + (field % 2) * half + lane);
      }
      result.push_back(builder_.CreateShuffleVector(pairs[0], pairs[1], pick));
    }
  }
  return result;
}

// --- loads and stores

namespace {

// How the fields of a loaded or stored type lie in memory.
struct Fields {
  std::vector<uint64_t> offsets;
  unsigned size = 0;  // bytes of each, if all have the same and lie one behind the other
  bool regular = false;
};

}  // namespace

static Fields fields_of(llvm::Type* type, const llvm::DataLayout& layout) {
  Fields fields;
  if (auto* aggregate = llvm::dyn_cast<llvm::StructType>(type)) {
    for (unsigned i = 0; i < aggregate->getNumElements(); ++i)
      fields.offsets.push_back(layout.getStructLayout(aggregate)->getElementOffset(i));
    fields.size = unsigned(layout.getTypeStoreSize(aggregate->getElementType(0)));
    fields.regular = true;
    for (unsigned i = 0; i < aggregate->getNumElements(); ++i)
      fields.regular &= layout.getTypeStoreSize(aggregate->getElementType(i)) == fields.size &&
                        fields.offsets[i] == uint64_t(i) * fields.size;
    return fields;
  }
  llvm::Type* scalar = type;
  unsigned count = 1;
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    scalar = vector->getElementType();
    count = vector->getNumElements();
  } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    scalar = array->getElementType();
    count = unsigned(array->getNumElements());
  }
  fields.size = unsigned(layout.getTypeStoreSize(scalar));
  fields.regular = true;
  for (unsigned i = 0; i < count; ++i) fields.offsets.push_back(uint64_t(i) * fields.size);
  return fields;
}

Status FunctionVectorizer::emit_load(llvm::LoadInst& load, int strip) {
  const unsigned count = field_count(load.getType());
  const Fields fields = fields_of(load.getType(), layout_);
  const Address address = address_of(load.getPointerOperand(), strip);
  const auto memory_type = [&](unsigned field) -> Type* {
    Type* type = element(field_type(load.getType(), field));
    return type->isIntegerTy(1) ? builder_.getInt8Ty() : type;
  };
  const auto finish = [&](unsigned field, Value* value) {
    Type* type = at(element(field_type(load.getType(), field)), strip);
    if (value->getType() != type)
      value = value->getType()->isIntOrIntVectorTy() && type->isIntOrIntVectorTy()
                  ? builder_.CreateTrunc(value, type)
                  : builder_.CreateBitCast(value, type);
    set(&load, strip, value, field);
  };
  if (strip == kUniformStrip) {
    Value* place = host_address(address);
    for (unsigned field = 0; field < count; ++field) {
      Value* at_field = builder_.CreateAdd(place, builder_.getInt64(fields.offsets[field]));
      Type* type = memory_type(field);
      llvm::LoadInst* made =
          builder_.CreateAlignedLoad(type, host_pointer(at_field), llvm::Align(layout_.getTypeStoreSize(type)));
      order_as(*made, load);
      finish(field, made);
    }
    return {};
  }
  const std::optional<int64_t> step = steps_.step(load.getPointerOperand());
  Value* mask = mask_strip(strip);
  const bool each_lane = load.isVolatile() || load.isAtomic();
  const uint64_t total = uint64_t(fields.size) * count;
  if (each_lane || !fields.regular || !(count == 1 || count == 2 || count == 4)) {
    for (unsigned field = 0; field < count; ++field)
      finish(field, gather(memory_type(field), address, fields.offsets[field], mask, each_lane ? &load : nullptr));
    return {};
  }
  // Several narrow fields travel as one integer.
  const bool packed = count > 1 && fields.size < 4 && total <= 8;
  Type* unit = packed      ? (Type*)builder_.getIntNTy(unsigned(total) * 8)
               : count > 1 ? (Type*)builder_.getIntNTy(fields.size * 8)
                           : memory_type(0);
  const unsigned units = packed ? 1 : count;
  const unsigned unit_bytes = packed ? unsigned(total) : fields.size;
  const bool masked_access = level_.has_scatter ? true : level_.has_gather && unit_bytes >= 4;
  const bool need_all = mask != nullptr && (!masked_access || units > 1);
  llvm::FixedVectorType* vector = vector_of(unit);
  Value* together = step ? known_consecutive(*step == int64_t(total), mask, need_all)
                         : consecutive(address, unsigned(total), mask, need_all);
  const Value* pointer = load.getPointerOperand();
  const Address first = step ? row_start(pointer, *step, strip)
                             : Address{address.base, builder_.CreateExtractElement(address.offset, uint64_t(0))};
  const auto values = choose(
      together,
      [&] {
        Value* place = host_address(first);
        llvm::SmallVector<Value*, 4> loaded;
        for (unsigned i = 0; i < units; ++i) {
          Value* at_unit =
              host_pointer(builder_.CreateAdd(place, builder_.getInt64(uint64_t(i) * lanes_ * unit_bytes)));
          if (mask != nullptr && !need_all)
            loaded.push_back(builder_.CreateMaskedLoad(vector, at_unit, llvm::Align(unit_bytes), mask,
                                                       llvm::Constant::getNullValue(vector)));
          else
            loaded.push_back(builder_.CreateAlignedLoad(vector, at_unit, llvm::Align(unit_bytes)));
        }
        return deinterleave(loaded);
      },
      [&] {
        llvm::SmallVector<Value*, 4> loaded;
        if (units % 2 == 0 && unit_bytes == 4) {
          for (unsigned i = 0; i < units; i += 2) {
            // Aligned as the whole access is: pairs make 8 bytes.
            Value* pair = gather(builder_.getInt64Ty(), address, uint64_t(i) * 4, mask, nullptr);
            loaded.push_back(builder_.CreateTrunc(pair, vector));
            loaded.push_back(builder_.CreateTrunc(builder_.CreateLShr(pair, 32), vector));
          }
        } else {
          for (unsigned i = 0; i < units; ++i)
            loaded.push_back(gather(unit, address, uint64_t(i) * unit_bytes, mask, nullptr));
        }
        return loaded;
      });
  if (packed) {
    for (unsigned field = 0; field < count; ++field) {
      Value* part = field == 0 ? values[0] : builder_.CreateLShr(values[0], uint64_t(field) * fields.size * 8);
      finish(field, builder_.CreateTrunc(part, vector_of(builder_.getIntNTy(fields.size * 8))));
    }
  } else {
    for (unsigned field = 0; field < count; ++field) finish(field, values[field]);
  }
  return {};
}

Status FunctionVectorizer::emit_store(llvm::StoreInst& store, int strip) {
  Type* type = store.getValueOperand()->getType();
  const unsigned count = field_count(type);
  const Fields fields = fields_of(type, layout_);
  const Address address = address_of(store.getPointerOperand(), strip);
  llvm::SmallVector<Value*, 4> values;
  for (unsigned field = 0; field < count; ++field) {
    Value* value = get(store.getValueOperand(), strip, field);
    if (value->getType()->getScalarType()->isIntegerTy(1))
      value = builder_.CreateZExt(value, at(builder_.getInt8Ty(), strip));
    values.push_back(value);
  }
  if (strip == kUniformStrip) {
    Value* place = host_address(address);
    for (unsigned field = 0; field < count; ++field) {
      Value* at_field = builder_.CreateAdd(place, builder_.getInt64(fields.offsets[field]));
      llvm::StoreInst* made = builder_.CreateAlignedStore(
          values[field], host_pointer(at_field), llvm::Align(layout_.getTypeStoreSize(values[field]->getType())));
      order_as(*made, store);
    }
    return {};
  }
  const std::optional<int64_t> step = steps_.step(store.getPointerOperand());
  Value* mask = mask_strip(strip);
  const bool each_lane = store.isVolatile() || store.isAtomic();
  const uint64_t total = uint64_t(fields.size) * count;
  if (each_lane || !fields.regular || !(count == 1 || count == 2 || count == 4)) {
    for (unsigned field = 0; field < count; ++field)
      scatter(values[field], address, fields.offsets[field], mask, each_lane ? &store : nullptr);
    return {};
  }
  Type* unit = count > 1 ? (Type*)builder_.getIntNTy(fields.size * 8) : values[0]->getType()->getScalarType();
  unsigned unit_bytes = fields.size;
  if (count > 1)
    for (Value*& value : values) value = builder_.CreateBitCast(value, vector_of(unit));
  if (count > 1 && fields.size < 4 && total <= 8) {
    unit_bytes = unsigned(total);
    Type* whole = vector_of(builder_.getIntNTy(unit_bytes * 8));
    Value* packed = builder_.CreateZExt(values[0], whole);
    for (unsigned field = 1; field < count; ++field)
      packed = builder_.CreateOr(
          packed, builder_.CreateShl(builder_.CreateZExt(values[field], whole), uint64_t(field) * fields.size * 8));
    values = {packed};
  }
  const unsigned units = unsigned(values.size());
  const bool masked_access = level_.has_scatter ? true : level_.has_gather && unit_bytes >= 4;
  const bool need_all = mask != nullptr && (!masked_access || units > 1);
  Value* together = step ? known_consecutive(*step == int64_t(total), mask, need_all)
                         : consecutive(address, unsigned(total), mask, need_all);
  const Value* pointer = store.getPointerOperand();
  const Address first = step ? row_start(pointer, *step, strip)
                             : Address{address.base, builder_.CreateExtractElement(address.offset, uint64_t(0))};
  choose(
      together,
      [&] {
        Value* place = host_address(first);
        const auto parts = interleave(values);
        for (unsigned i = 0; i < units; ++i) {
          Value* at_unit =
              host_pointer(builder_.CreateAdd(place, builder_.getInt64(uint64_t(i) * lanes_ * unit_bytes)));
          if (mask != nullptr && !need_all)
            builder_.CreateMaskedStore(parts[i], at_unit, llvm::Align(unit_bytes), mask);
          else
            builder_.CreateAlignedStore(parts[i], at_unit, llvm::Align(unit_bytes));
        }
        return llvm::SmallVector<Value*, 4>{};
      },
      [&] {
        for (unsigned i = 0; i < units; ++i) scatter(values[i], address, uint64_t(i) * unit_bytes, mask, nullptr);
        return llvm::SmallVector<Value*, 4>{};
      });
  return {};
}

// All lanes write one place: the highest active lane is the one that stays, as if they wrote in their order.
Status FunctionVectorizer::emit_uniform_store(llvm::StoreInst& store) {
  Type* type = store.getValueOperand()->getType();
  const Fields fields = fields_of(type, layout_);
  Value* place = host_address(address_of(store.getPointerOperand(), kUniformStrip));
  Value* lane = nullptr;
  if (!mask_is_full())
    lane = builder_.CreateSub(
        builder_.getInt32(31),
        builder_.CreateIntrinsic(llvm::Intrinsic::ctlz, {builder_.getInt32Ty()}, {mask_bits(), builder_.getFalse()}));
  for (unsigned field = 0; field < field_count(type); ++field) {
    Type* scalar = element(field_type(type, field));
    Value* value;
    if (lane == nullptr) {
      value =
          builder_.CreateExtractElement(get(store.getValueOperand(), int(strips_) - 1, field), uint64_t(lanes_ - 1));
    } else {
      spill(store.getValueOperand(), field, 0);
      Type* stored = scalar->isIntegerTy(1) ? builder_.getInt8Ty() : scalar;
      value = builder_.CreateLoad(stored, builder_.CreateGEP(stored, scratch(0), lane));
    }
    if (scalar->isIntegerTy(1)) value = builder_.CreateZExtOrTrunc(value, builder_.getInt8Ty());
    Value* at_field = builder_.CreateAdd(place, builder_.getInt64(fields.offsets[field]));
    llvm::StoreInst* made = builder_.CreateAlignedStore(value, host_pointer(at_field),
                                                        llvm::Align(layout_.getTypeStoreSize(value->getType())));
    order_as(*made, store);
  }
  return {};
}

}  // namespace ww::cpu
