// The registers of a program's functions, and which of them an operand may be.
#include <algorithm>
#include <cstdio>

#include "random/generator.h"
#include "random/maker.h"

namespace ww::programs {

using ptx::Type;

namespace {

struct Kind {
  const char* prefix;
  Type type;
  unsigned count;  // registers; of a function of its own: two at most
  std::vector<const char*> declared;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> table = {
      {"p", Type::kPred, 4, {"pred"}},
      {"h", Type::kU16, 4, {"b16", "u16", "s16"}},
      {"r", Type::kU32, 8, {"b32", "u32", "s32"}},
      {"d", Type::kU64, 5, {"b64", "u64", "s64"}},
      {"e", Type::kF16, 4, {"f16", "b16"}},
      {"b", Type::kBF16, 3, {"b16"}},
      {"x", Type::kF16x2, 4, {"b32", "f16x2"}},
      {"y", Type::kBF16x2, 3, {"b32"}},
      {"f", Type::kF32, 8, {"f32", "b32"}},
      {"g", Type::kF64, 5, {"f64", "b64"}},
  };
  return table;
}

bool is_integer(Type type) {
  return ptx::is_signed(type) || ptx::is_unsigned(type);
}

// PTX ISA, "Type Checking Rules".
bool agrees(Type held, Type wanted, bool relaxed) {
  if ((held == Type::kPred) != (wanted == Type::kPred)) return false;
  if (held == Type::kPred) return true;
  const unsigned have = ptx::bits(held), want = std::max(ptx::bits(wanted), 8u);
  if (relaxed ? have < want || have < 16 : have != want) return false;
  if (held == wanted || ptx::is_untyped(held)) return true;
  if (ptx::is_untyped(wanted)) return true;
  return is_integer(held) && is_integer(wanted) && wanted != Type::kU16x2 && wanted != Type::kS16x2;
}

// What kind of register mostly serves an operand of the type.
Type kind_for(Type wanted) {
  switch (wanted) {
    case Type::kPred:
    case Type::kF16:
    case Type::kBF16:
    case Type::kF16x2:
    case Type::kBF16x2:
    case Type::kF32:
    case Type::kF64:
      return wanted;
    case Type::kTF32:
      return Type::kF32;
    default:
      return ptx::bits(wanted) <= 16 ? Type::kU16 : ptx::bits(wanted) <= 32 ? Type::kU32 : Type::kU64;
  }
}

std::string hexadecimal(const char* format, uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, format, static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

ptx::Type column_type(unsigned column) {
  for (const Kind& kind : kinds()) {
    if (column < kind.count) return kind.type;
    column -= kind.count;
  }
  return Type::kNone;
}

unsigned column_bytes(Type type) {
  return type == Type::kPred ? 4 : ptx::bits(type) / 8;
}

void Maker::choose_pool(unsigned percent) {
  // Some kinds only, so that small programs are dense in what they have.
  std::vector<PoolRegister> chosen;
  std::vector<Type> dropped;
  for (const Kind& kind : kinds())
    if (kind.type != Type::kPred && kind.type != Type::kU32 && chance(percent)) dropped.push_back(kind.type);
  for (const PoolRegister& r : pool_)
    if (std::find(dropped.begin(), dropped.end(), r.kind) == dropped.end()) chosen.push_back(r);
  pool_ = std::move(chosen);
}

void Maker::add_kernel_registers() {
  unsigned column = 0;
  const uint64_t stride = uint64_t{program_.threads()} * 8;
  pool_.clear();
  for (const Kind& kind : kinds())
    for (unsigned i = 0; i < kind.count; ++i, ++column) {
      const std::string name = std::string("%") + kind.prefix + number(i), held = any(kind.declared);
      const unsigned bytes = column_bytes(kind.type);
      const std::string width = number(8 * bytes), place = number(bytes) + "+" + number(column * stride) + "]";
      const std::string in = "[%in" + place, out = "[%out" + place;
      Definition definition{name, ".reg ." + held + " " + name + ";", {}};
      Definition store{name, {}, {}};
      if (kind.type == Type::kPred) {
        definition.start =
            "ld.global.b32 %word, " + in + ";\nand.b32 %word, %word, 1;\nsetp.ne.u32 " + name + ", %word, 0;";
        store.start = "selp.b32 %word, 1, 0, " + name + ";\nst.global.b32 " + out + ", %word;";
      } else {
        definition.start = "ld.global.b" + width + " " + name + ", " + in + ";";
        store.start = "st.global.b" + width + " " + out + ", " + name + ";";
      }
      function_->definitions.push_back(definition);
      function_->stores.push_back(store);
      pool_.push_back({name, *ptx::find_type(held), kind.type});
    }
}

void Maker::add_function_registers(Function& function) {
  pool_.clear();
  for (const Kind& kind : kinds())
    for (unsigned i = 0; i < std::min(kind.count, 2u); ++i) {
      const std::string name = std::string("%") + kind.prefix + number(i), held = any(kind.declared);
      std::string start;
      if (kind.type == Type::kPred)
        start = "setp.lt.s32 " + name + ", %a" + number(i) + ", 5;";
      else if (ptx::bits(kind.type) == 16)
        start = "cvt.u16.u32 " + name + ", %a" + number(i) + ";";
      else if (ptx::bits(kind.type) == 32)
        start = "mov.b32 " + name + ", %a" + number(i) + ";";
      else
        start = "mov.b64 " + name + ", %w" + number(i) + ";";
      // 16-bit conversions want integer registers.
      const bool is_sixteen = ptx::bits(kind.type) == 16 && kind.type != Type::kPred;
      const std::string type = is_sixteen && held == "f16" ? "b16" : held;
      function.definitions.push_back({name, ".reg ." + type + " " + name + ";", start});
      pool_.push_back({name, *ptx::find_type(type), kind.type});
    }
}

std::string Maker::temporary(const char* type) {
  const std::string name = "%t" + number(temporaries_++);
  function_->definitions.push_back({name, std::string(".reg .") + type + " " + name + ";", {}});
  return name;
}

Type Maker::held(const std::string& name) const {
  for (const PoolRegister& r : pool_)
    if (r.name == name) return r.held;
  return Type::kNone;
}

std::string Maker::find_register(Type type, bool relaxed) {
  std::vector<const PoolRegister*> likely, possible;
  const Type kind = kind_for(type);
  for (const PoolRegister& r : pool_) {
    if (!agrees(r.held, type, relaxed && !strict_)) continue;
    if (strict_ && r.held != type && !ptx::is_untyped(r.held) && !(is_integer(r.held) && is_integer(type))) continue;
    if (relaxed && ptx::bits(r.held) > ptx::bits(type) && !(is_integer(r.held) || ptx::is_untyped(r.held))) continue;
    if (relaxed && ptx::is_float(type) && ptx::bits(r.held) != ptx::bits(type)) continue;
    possible.push_back(&r);
    if (r.kind == kind) likely.push_back(&r);
  }
  if (possible.empty()) return {};
  const auto& list = likely.empty() || (possible.size() > likely.size() && chance(10)) ? possible : likely;
  return list[below(static_cast<uint32_t>(list.size()))]->name;
}

std::string Maker::source(Type type, bool relaxed) {
  return find_register(type, relaxed);
}

std::string Maker::destination(Type type, bool relaxed) {
  return find_register(type, relaxed);
}

std::string Maker::constant(Type type) {
  const unsigned width = ptx::bits(type);
  uint64_t value = random_.next();
  static constexpr uint64_t kSpecial[] = {0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 255};
  switch (type) {
    case Type::kF32: {
      static constexpr uint32_t kFloats[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x40000000, 0x3f000000,
                                             0x7f800000, 0xff800000, 1,          0x7fffff,   0x4b000000, 0x3fc00000};
      const uint32_t bits = chance(50) ? kFloats[below(12)] : 0x3f000000 + static_cast<uint32_t>(value % 0x2000000);
      return hexadecimal("0f%08llx", bits);
    }
    case Type::kF64: {
      static constexpr uint64_t kDoubles[] = {
          0, uint64_t{1} << 63, 0x3ff0000000000000, 0xbff8000000000000, 0x4000000000000000, 0x7ff0000000000000,
          1, 0x4330000000000000};
      const uint64_t bits = chance(50) ? kDoubles[below(8)] : 0x3fe0000000000000 + value % 0x40000000000000;
      return hexadecimal("0d%016llx", bits);
    }
    case Type::kPred:
    case Type::kF16:
    case Type::kBF16:
    case Type::kF16x2:
    case Type::kBF16x2:
    case Type::kTF32:
      return {};
    default:
      break;
  }
  if (chance(60)) value = kSpecial[below(16)];
  if (width < 64) value &= (uint64_t{1} << width) - 1;
  if (ptx::is_signed(type) && type != Type::kS16x2) {
    const int64_t extended =
        width == 64 ? static_cast<int64_t>(value) : static_cast<int64_t>(value << (64 - width)) >> (64 - width);
    if (extended == INT64_MIN) return "0x8000000000000000";
    return std::to_string(extended);
  }
  return hexadecimal("0x%llx", value);
}

}  // namespace ww::programs
