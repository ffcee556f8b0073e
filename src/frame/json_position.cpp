#include "frame/json_position.h"

#include <algorithm>

namespace ww::frame {
namespace {

// Walks valid JSON; on anything unexpected it stops where it is.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) { blanks(); }

  size_t offset() const { return at_; }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  // Enters the array or object at the position and moves to the wanted child. False: not there.
  bool enter(const PathStep& step) {
    const char open = peek();
    if (open != '{' && open != '[') return false;
    const bool object = open == '{';
    if (object == step.name.empty()) return false;
    bump();
    for (size_t index = 0; peek() != '}' && peek() != ']' && peek() != '\0'; ++index) {
      std::string_view key;
      if (object) {
        const size_t start = at_;
        skip_value();
        key = text_.substr(start, at_ - start);
        blanks();
        bump();  // ':'
      }
      if (object ? strip(key) == step.name : index == step.index) return true;
      skip_value();
      blanks();
      if (peek() == ',') bump();
    }
    return false;
  }

 private:
  static std::string_view strip(std::string_view quoted) {
    const size_t end = quoted.find('"', 1);
    return quoted.empty() || end == std::string_view::npos ? quoted : quoted.substr(1, end - 1);
  }

  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  void bump() {
    if (at_ < text_.size()) ++at_;
    blanks();
  }
  void skip_string() {
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
  }
  void skip_value() {
    size_t depth = 0;
    do {
      const char c = peek();
      if (c == '\0') return;
      if (c == '"') {
        skip_string();
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (c == '}' || c == ']') {
        if (depth == 0) return;
        --depth;
        ++at_;
      } else if (depth > 0) {
        ++at_;
      } else {
        while (at_ < text_.size() && text_.find_first_of(",]}: \t\r\n", at_) != at_) ++at_;
      }
    } while (depth > 0);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::string path_text(const JsonPath& path) {
  std::string text;
  for (const PathStep& step : path) {
    if (step.name.empty())
      text += "[" + std::to_string(step.index) + "]";
    else
      text += (text.empty() ? "" : ".") + step.name;
  }
  return text.empty() ? "the document" : text;
}

TextPosition position_of_offset(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const size_t last_break = before.rfind('\n');
  return {static_cast<uint32_t>(1 + std::count(before.begin(), before.end(), '\n')),
          static_cast<uint32_t>(before.size() - (last_break == std::string_view::npos ? 0 : last_break + 1) + 1)};
}

TextPosition json_position(std::string_view text, const JsonPath& path) {
  Walker walker(text);
  size_t offset = walker.offset();
  for (const PathStep& step : path) {
    if (!walker.enter(step)) break;
    offset = walker.offset();
  }
  return position_of_offset(text, offset);
}

}  // namespace ww::frame
