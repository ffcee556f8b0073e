#include "lower/case_file.h"

#include <fstream>
#include <map>
#include <regex>
#include <sstream>

namespace ww::lower_test {
namespace {

// `line` after `key`, or nothing.
bool starts(const std::string& line, const std::string& key, std::string& rest) {
  if (line.rfind(key, 0) != 0) return false;
  rest = line.substr(key.size());
  rest.erase(0, rest.find_first_not_of(' '));
  return true;
}

std::string quoted(const std::string& text) {
  static const std::regex kSpecial(R"([.^$|()\[\]{}*+?\\])");
  std::string escaped = std::regex_replace(text, kSpecial, R"(\$&)");
  return std::regex_replace(escaped, std::regex(" +"), R"(\s+)");
}

// The regular expression of a check, with the names in the order of their groups.
std::regex pattern_of(const std::string& text, const std::map<std::string, std::string>& known,
                      std::vector<std::string>& names) {
  std::string pattern;
  size_t at = 0;
  while (at < text.size()) {
    const size_t braces = text.find("{{", at), brackets = text.find("[[", at);
    const size_t next = std::min(braces, brackets);
    pattern += quoted(text.substr(at, next == std::string::npos ? next : next - at));
    if (next == std::string::npos) break;
    const bool is_name = next == brackets;
    const size_t end = text.find(is_name ? "]]" : "}}", next);
    const std::string body = text.substr(next + 2, end - next - 2);
    const size_t colon = body.find(':');
    if (!is_name) {
      pattern += "(?:" + body + ")";
    } else if (colon == std::string::npos) {
      const auto found = known.find(body);
      pattern += found == known.end() ? "UNKNOWN" : quoted(found->second) + R"((?![\w.]))";
    } else {
      names.push_back(body.substr(0, colon));
      pattern += "(" + body.substr(colon + 1) + ")";
    }
    at = end + 2;
  }
  return std::regex(pattern);
}

}  // namespace

Case read_case(const std::string& file) {
  Case test;
  test.file = file;
  std::ifstream stream(file);
  std::string line, rest;
  for (unsigned number = 1; std::getline(stream, line); ++number) {
    test.ptx += line + "\n";
    if (starts(line, "// after:", rest)) test.after = rest;
    if (starts(line, "// fast", rest)) test.is_fast = true;
    if (starts(line, "// error:", rest)) test.error = rest;
    if (starts(line, "// ir:", rest)) test.checks.push_back({Check::Kind::kAnywhere, rest, number});
    if (starts(line, "// ir-next:", rest)) test.checks.push_back({Check::Kind::kNext, rest, number});
    if (starts(line, "// ir-not:", rest)) test.checks.push_back({Check::Kind::kNot, rest, number});
  }
  return test;
}

std::string mismatch(const Case& test, const std::string& ir) {
  std::vector<std::string> lines;
  std::istringstream stream(ir);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::map<std::string, std::string> known;
  std::vector<const Check*> forbidden;
  size_t at = 0;
  const auto is_forbidden = [&](const std::string& line) -> const Check* {
    for (const Check* check : forbidden) {
      std::vector<std::string> names;
      if (std::regex_search(line, pattern_of(check->text, known, names))) return check;
    }
    return nullptr;
  };
  const auto where = [&](const Check& check) { return test.file + ":" + std::to_string(check.line) + ": "; };
  for (const Check& check : test.checks) {
    if (check.kind == Check::Kind::kNot) {
      forbidden.push_back(&check);
      continue;
    }
    std::vector<std::string> names;
    const std::regex pattern = pattern_of(check.text, known, names);
    bool found = false;
    for (size_t i = at; i < lines.size() && !found; ++i) {
      std::smatch match;
      found = std::regex_search(lines[i], match, pattern);
      if (!found) {
        if (const Check* broken = is_forbidden(lines[i])) return where(*broken) + "found: " + lines[i];
        if (check.kind == Check::Kind::kNext) return where(check) + "the next line is: " + lines[i];
        continue;
      }
      for (size_t k = 0; k < names.size(); ++k) known[names[k]] = match[k + 1];
      at = i + 1;
    }
    if (!found) return where(check) + "not found: " + check.text;
    forbidden.clear();
  }
  for (size_t i = at; i < lines.size(); ++i)
    if (const Check* broken = is_forbidden(lines[i])) return where(*broken) + "found: " + lines[i];
  return "";
}

}  // namespace ww::lower_test
