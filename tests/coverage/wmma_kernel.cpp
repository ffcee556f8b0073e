// wmma: fragments are opaque, so each form runs within a whole step: load a, b and c, multiply, store d.
#include <algorithm>
#include <cstdio>

#include "coverage/form_kernel.h"
#include "coverage/warp_region.h"

namespace ww::coverage {
namespace {

using namespace ptx;

struct Element {
  std::string_view name;
  unsigned bits;
  Type packed;                   // what fills memory
  std::string_view accumulator;  // of products, where the form does not say
};
constexpr Element kElements[] = {
    {"f16", 16, Type::kF16x2, "f32"}, {"bf16", 16, Type::kBF16x2, "f32"}, {"tf32", 32, Type::kTF32, "f32"},
    {"f64", 64, Type::kF64, "f64"},   {"u8", 8, Type::kB32, "s32"},       {"s8", 8, Type::kB32, "s32"},
    {"u4", 4, Type::kB32, "s32"},     {"s4", 4, Type::kB32, "s32"},       {"b1", 1, Type::kB32, "s32"},
    {"f32", 32, Type::kF32, "f32"},   {"s32", 32, Type::kB32, "s32"},
};
const Element* element_of(std::string_view name) {
  for (const Element& element : kElements)
    if (element.name == name) return &element;
  return nullptr;
}

struct Fragment {
  char role = 'a';
  const Element* element = nullptr;
  unsigned rows = 0, columns = 0;
  bool by_rows = true, shared = false;

  unsigned line() const { return (by_rows ? columns : rows) * element->bits / 8; }  // bytes
  unsigned lines() const { return by_rows ? rows : columns; }
  // Lines apart so that a stride that is ignored shows; strides are multiples of 16 bytes.
  unsigned stride() const { return (line() + 15) / 16 * 16 + 16; }
  unsigned elements_of(unsigned bytes) const { return bytes * 8 / element->bits; }
  unsigned bytes() const { return lines() * stride(); }
  std::string layout() const { return by_rows ? ".row" : ".col"; }

  // Registers of one lane, of the width that the manual gives.
  unsigned register_width() const { return element->name == "f64" ? 64 : 32; }
  unsigned registers() const {
    if (element->name == "f16") return role == 'a' || role == 'b' ? 8 : 4;
    return std::max(1u, rows * columns * element->bits / 32 / register_width());
  }
};

class Step {
 public:
  Step(const Form& form, const std::string& name) : words_(words_of(form)), writer_(form, name) {}

  std::optional<Kernel> build() {
    if (!read_form()) return {};
    for (Fragment* fragment : {&a_, &b_, &c_}) {
      add_warp_region(writer_, fragment->shared, address(*fragment), fragment->bytes(), fragment->element->packed,
                      std::string(1, fragment->role));
    }
    for (const Fragment* fragment : {&a_, &b_, &c_, &d_}) {
      std::vector<std::string>& names = registers_[fragment->role - 'a'];
      for (unsigned i = 0; i < fragment->registers(); ++i) {
        names.push_back("%" + std::string(1, fragment->role) + std::to_string(i));
        writer_.declare(names.back(), fragment->register_width());
      }
    }
    // With the stride that is left out (if lines may lie so close), then with one.
    const Fragment& own = op_ == "load" || op_ == "store" ? *tested_ : a_;
    bool any = false;
    if (op_ != "mma" && own.line() % 16 == 0) any |= run(false);
    any |= run(true);
    if (!any) return {};
    return writer_.finish();
  }

 private:
  bool read_form() {
    op_ = words_[1];
    unsigned m = 0, n = 0, k = 0;
    size_t at = 0;
    for (; at < words_.size(); ++at)
      if (std::sscanf(words_[at].c_str(), "m%un%uk%u", &m, &n, &k) == 3) break;
    if (at == words_.size()) return false;
    shape_ = "." + words_[at];
    std::vector<const Element*> types;
    for (size_t i = at + 1; i < words_.size(); ++i)
      if (const Element* element = element_of(words_[i])) types.push_back(element);
    std::vector<bool> by_rows;
    for (const std::string& word : words_)
      if (word == "row" || word == "col") by_rows.push_back(word == "row");
    if (types.empty() || by_rows.empty()) return false;
    a_ = {'a', nullptr, m, k, true, false};
    b_ = {'b', nullptr, k, n, false, false};
    c_ = {'c', nullptr, m, n, true, false};
    d_ = {'d', nullptr, m, n, true, false};
    const bool shared = contains(words_, "shared") || contains(words_, "shared::cta");
    if (op_ == "mma") {
      const bool half = types.size() == 2;  // f16 is understood
      d_.element = types[0];
      c_.element = types.back();
      a_.element = b_.element = half ? element_of("f16") : types[1];
      a_.by_rows = by_rows[0];
      b_.by_rows = by_rows[1];
      tested_ = &d_;
      return true;
    }
    const char role = words_[2][0];
    tested_ = role == 'a' ? &a_ : role == 'b' ? &b_ : role == 'c' ? &c_ : &d_;
    if (role == 'a' || role == 'b') {
      a_.element = b_.element = types[0];
      c_.element = d_.element = element_of(types[0]->accumulator);
    } else {
      c_.element = d_.element = types[0];
      const std::string_view input = shape_ == ".m16n16k8"     ? "tf32"
                                     : shape_ == ".m8n8k32"    ? "u4"
                                     : shape_ == ".m8n8k128"   ? "b1"
                                     : types[0]->name == "s32" ? "u8"
                                     : types[0]->name == "f64" ? "f64"
                                                               : "f16";
      a_.element = b_.element = element_of(input);
    }
    tested_->by_rows = by_rows[0];
    tested_->shared = shared;
    return true;
  }

  std::string address(const Fragment& fragment) const { return "%" + std::string(1, fragment.role) + "_memory"; }
  std::string registers(const Fragment& fragment) const {
    std::string text = "{";
    for (const std::string& name : registers_[fragment.role - 'a']) text += (text.size() == 1 ? "" : ", ") + name;
    return text + "}";
  }

  // The whole step; the tested instruction with a stride, or with the one that is understood. False: it is illegal.
  bool run(bool with_stride) {
    const auto stride = [&](const Fragment& fragment) {
      return ", " + std::to_string(fragment.elements_of(fragment.stride()));
    };
    for (const Fragment* fragment : {&a_, &b_, &c_}) {
      if (op_ == "load" && fragment == tested_) {
        if (!writer_.add_instruction(registers(*fragment) + ", [" + address(*fragment) + "]" +
                                     (with_stride ? stride(*fragment) : "")))
          return false;
        continue;
      }
      writer_.add("wmma.load." + std::string(1, fragment->role) + ".sync.aligned" + fragment->layout() + shape_ + "." +
                  std::string(fragment->element->name) + " " + registers(*fragment) + ", [" + address(*fragment) + "]" +
                  stride(*fragment) + ";");
    }
    const std::string operands = registers(d_) + ", " + registers(a_) + ", " + registers(b_) + ", " + registers(c_);
    if (op_ == "mma") {
      if (!writer_.add_instruction(operands)) return false;
    } else {
      writer_.add(multiply() + " " + operands + ";");
    }
    const std::string memory = "%d_memory" + std::to_string(runs_++);
    add_warp_region(writer_, d_.shared, memory, d_.bytes(), Type::kNone, "d");
    const std::string place = "[" + memory + "], " + registers(d_);
    if (op_ == "store") {
      if (!writer_.add_instruction(place + (with_stride ? stride(d_) : ""))) return false;
    } else {
      writer_.add("wmma.store.d.sync.aligned" + d_.layout() + shape_ + "." + std::string(d_.element->name) + " " +
                  place + stride(d_) + ";");
    }
    add_region_results(writer_, d_.shared, memory, d_.bytes());
    return true;
  }

  std::string multiply() const {
    const std::string a(a_.element->name), c(c_.element->name);
    const std::string layouts = a_.layout() + b_.layout();
    if (a == "f16") return "wmma.mma.sync.aligned" + layouts + shape_ + "." + c + "." + c;
    if (a == "b1") return "wmma.mma.and.popc.sync.aligned" + layouts + shape_ + ".s32.b1.b1.s32";
    return "wmma.mma.sync.aligned" + layouts + shape_ + (a == "f64" ? ".rn" : "") + "." + c + "." + a + "." + a + "." +
           c;
  }

  std::vector<std::string> words_;
  KernelWriter writer_;
  std::string op_, shape_;
  Fragment a_, b_, c_, d_;
  Fragment* tested_ = nullptr;
  std::vector<std::string> registers_[4];
  unsigned runs_ = 0;
};

}  // namespace

std::optional<Kernel> wmma_kernel(const Form& form, const std::string& name) {
  if (form.compiled().form->opcode != Opcode::kWmma) return {};
  return Step(form, name).build();
}

}  // namespace ww::coverage
