// A 32-bit word of a PTX program that is being written: each operator adds an instruction.
#pragma once

#include <cstdint>
#include <string>

namespace ww::tiles {

class PtxText {
 public:
  // A new register with the result of "op.type destination, operands".
  std::string add(const std::string& opcode, const std::string& operands) {
    const std::string name = "%w" + std::to_string(registers_++);
    body_ += opcode + " " + name + ", " + operands + ";\n";
    return name;
  }
  void line(const std::string& text) { body_ += text + "\n"; }
  std::string predicate() { return "%p" + std::to_string(predicates_++); }
  unsigned registers() const { return registers_; }
  unsigned predicates() const { return predicates_; }
  const std::string& body() const { return body_; }

 private:
  std::string body_;
  unsigned registers_ = 0, predicates_ = 0;
};

class PtxWord {
 public:
  PtxWord() = default;
  PtxWord(uint32_t constant) : name_(std::to_string(constant)) {}  // NOLINT: as uint32_t converts
  PtxWord(PtxText* text, std::string name) : text_(text), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  PtxText* text() const { return text_; }

  friend PtxWord operator^(const PtxWord& a, const PtxWord& b) { return apply("xor.b32", a, b); }
  friend PtxWord operator&(const PtxWord& a, const PtxWord& b) { return apply("and.b32", a, b); }
  friend PtxWord operator|(const PtxWord& a, const PtxWord& b) { return apply("or.b32", a, b); }
  friend PtxWord operator+(const PtxWord& a, const PtxWord& b) { return apply("add.u32", a, b); }
  friend PtxWord operator-(const PtxWord& a, const PtxWord& b) { return apply("sub.u32", a, b); }
  friend PtxWord operator*(const PtxWord& a, const PtxWord& b) { return apply("mul.lo.u32", a, b); }
  friend PtxWord operator<<(const PtxWord& a, const PtxWord& b) { return apply("shl.b32", a, b); }
  friend PtxWord operator>>(const PtxWord& a, const PtxWord& b) { return apply("shr.u32", a, b); }
  friend PtxWord operator~(const PtxWord& a) { return {a.text_, a.text_->add("not.b32", a.name_)}; }

 private:
  static PtxWord apply(const char* opcode, const PtxWord& a, const PtxWord& b) {
    PtxText* text = a.text_ != nullptr ? a.text_ : b.text_;
    if (text == nullptr) return constant(opcode, a, b);
    return {text, text->add(opcode, a.name_ + ", " + b.name_)};
  }
  // Constants among themselves.
  static PtxWord constant(const std::string& opcode, const PtxWord& a, const PtxWord& b) {
    const auto x = uint32_t(std::stoul(a.name_)), y = uint32_t(std::stoul(b.name_));
    return opcode == "and.b32" ? x & y : opcode == "or.b32" ? x | y : opcode == "xor.b32" ? x ^ y : x - y;
  }

  PtxText* text_ = nullptr;  // null: a constant
  std::string name_ = "0";
};

inline PtxWord all_if(const PtxWord& value, uint32_t mask, uint32_t wanted) {
  PtxText& text = *value.text();
  const std::string masked = text.add("and.b32", value.name() + ", " + std::to_string(mask));
  const std::string predicate = text.predicate();
  text.line("setp.eq.u32 " + predicate + ", " + masked + ", " + std::to_string(wanted) + ";");
  return {&text, text.add("selp.b32", "-1, 0, " + predicate)};
}
inline PtxWord all_if_less(const PtxWord& a, const PtxWord& b) {
  PtxText& text = *a.text();
  const std::string predicate = text.predicate();
  text.line("setp.lt.u32 " + predicate + ", " + a.name() + ", " + b.name() + ";");
  return {&text, text.add("selp.b32", "-1, 0, " + predicate)};
}

}  // namespace ww::tiles
