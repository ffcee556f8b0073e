// The parser at module scope: header, linkage, files, sections, aliases; and what all its files share.
#include "ptx/parser.h"

#include <algorithm>
#include <cstdlib>

#include "ptx/parser_state.h"

namespace ww::ptx {

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd:
      return "the end of the text";
    case TokenKind::kError:
      return std::string(token.text);
    case TokenKind::kString:
      return '"' + std::string(token.text.substr(0, 60)) + '"';
    default:
      return '\'' + std::string(token.text.substr(0, 60)) + '\'';
  }
}

bool Parser::fail(Location location, std::string message, std::string found, std::string expected, std::string fix) {
  if (failed_) return false;
  failed_ = true;
  error_ = input_error(module_.name, std::move(message), std::move(fix));
  error_.line = location.line;
  error_.column = location.column;
  error_.found = std::move(found);
  error_.expected = std::move(expected);
  if (function_) error_.kernel = function_->name;
  return false;
}

bool Parser::fail_here(std::string message, std::string expected, std::string fix) {
  const Token& token = lexer_.current();
  if (token.kind == TokenKind::kError) message = "unreadable text";
  return fail(token.location, std::move(message), describe(token), std::move(expected), std::move(fix));
}

bool Parser::constant(ConstantValue& value) {
  ConstantFailure failure;
  const Token first = lexer_.current();
  if (parse_constant_expression(lexer_, value, failure)) return true;
  const bool here = failure.location.line == lexer_.current().location.line &&
                    failure.location.column == lexer_.current().location.column;
  return fail(failure.location, std::move(failure.message), describe(here ? lexer_.current() : first),
              std::move(failure.expected));
}

bool Parser::constant_integer(uint64_t& value, std::string_view what, uint64_t most) {
  const Location location = lexer_.current().location;
  ConstantValue result;
  if (!constant(result)) return false;
  value = result.bits;
  const bool negative = result.kind == ConstantValue::Kind::kSigned && result.bits >> 63;
  if (!result.is_float() && !negative && value <= most) return true;
  std::string found = result.is_float() ? "a floating-point constant"
                      : negative        ? std::to_string(static_cast<int64_t>(value))
                                        : std::to_string(value);
  return fail(location, std::string(what) + " is out of range", std::move(found),
              "an integer from 0 to " + std::to_string(most));
}

bool Parser::expect(char punctuation, std::string_view context) {
  if (accept(static_cast<unsigned char>(punctuation))) return true;
  return fail_here("syntax error in " + std::string(context), std::string("'") + punctuation + "'");
}

bool Parser::expect_identifier(std::string_view& name, Location& location, std::string_view what) {
  const Token& token = lexer_.current();
  location = token.location;
  if (token.kind != TokenKind::kIdentifier) return fail_here("a name is missing", std::string(what));
  name = token.text;
  lexer_.advance();
  return true;
}

std::string_view Parser::own(std::string text) {
  return module_.owned_names->emplace_back(std::move(text));
}

bool Parser::needs(unsigned least_version, unsigned least_sm, Location location, std::string_view what) {
  if (version() < least_version) {
    const std::string wanted = std::to_string(least_version / 10) + '.' + std::to_string(least_version % 10);
    return fail(location, std::string(what) + " needs PTX " + wanted,
                ".version " + std::to_string(module_.version_major) + '.' + std::to_string(module_.version_minor),
                ".version " + wanted + " or later", "Raise .version, or compile with a newer compiler");
  }
  if (module_.sm < least_sm)
    return fail(location, std::string(what) + " needs sm_" + std::to_string(least_sm),
                ".target sm_" + std::to_string(module_.sm), "sm_" + std::to_string(least_sm) + " or later",
                "Compile for a newer target");
  return true;
}

bool Parser::parse_module() {
  if (!parse_header()) return false;
  while (lexer_.current().kind != TokenKind::kEnd)
    if (!parse_top_level()) return false;
  // The latest first: a declaration takes the names of the next one, which has the definition's by then.
  for (size_t i = superseded_.size(); i-- > 0;)
    module_.variables[superseded_[i].first] = Variable(module_.variables[superseded_[i].second]);
  return finish_module();
}

bool Parser::parse_header() {
  if (!is_word(".version"))
    return fail_here("a PTX module begins with .version", ".version",
                     "Is this file PTX text? A cubin or fatbin has to be disassembled first");
  lexer_.advance();
  const Token number = lexer_.current();
  const std::string text(number.text);
  char* end = nullptr;
  if (number.kind == TokenKind::kFloat64) {
    module_.version_major = static_cast<uint32_t>(std::min(std::strtoul(text.c_str(), &end, 10), 1000ul));
    if (*end == '.') module_.version_minor = static_cast<uint32_t>(std::min(std::strtoul(end + 1, &end, 10), 1000ul));
  }
  if (!end || *end != 0) return fail_here("bad .version", "a version such as 7.8");
  if (version() < 10 || version() > 90 || module_.version_minor > 9)
    return fail(number.location, "unknown PTX version", text, "1.0 to 9.0");
  lexer_.advance();
  if (!is_word(".target")) return fail_here(".target is missing after .version", ".target");
  while (is_word(".target"))
    if (!parse_target()) return false;
  if (!is_word(".address_size")) return true;
  lexer_.advance();
  const Location location = lexer_.current().location;
  uint64_t size = 0;
  if (!constant_integer(size, ".address_size", 64)) return false;
  if (size != 32 && size != 64) return fail(location, "bad .address_size", std::to_string(size), "32 or 64");
  if (size == 32 && module_.sm >= 90)
    return fail(location, ".address_size 32 does not exist on sm_90 and later", "32", "64");
  module_.address_size = static_cast<uint32_t>(size);
  return true;
}

namespace {

// Targets, and the first PTX version (times ten) that has them. (PTX ISA, "PTX Release History"; where NVIDIA's
// assembler takes more than is written there, what it takes: tests/ptx/data/assembler_targets.txt.)
struct TargetRow {
  uint32_t sm;
  char letter;  // 'a', 'f' or 0
  unsigned first_version;
};
constexpr TargetRow kTargets[] = {
    {10, 0, 10},    {11, 0, 10},    {12, 0, 12},    {13, 0, 12},    {20, 0, 20},    {21, 0, 20},    {30, 0, 30},
    {32, 0, 40},    {35, 0, 31},    {37, 0, 41},    {50, 0, 40},    {52, 0, 41},    {53, 0, 42},    {60, 0, 50},
    {61, 0, 50},    {62, 0, 50},    {70, 0, 60},    {72, 0, 61},    {75, 0, 63},    {80, 0, 70},    {82, 0, 62},
    {86, 0, 71},    {87, 0, 74},    {88, 0, 73},    {89, 0, 78},    {90, 0, 78},    {90, 'a', 80},  {100, 0, 86},
    {100, 'a', 86}, {100, 'f', 88}, {101, 0, 86},   {101, 'a', 86}, {101, 'f', 88}, {103, 0, 88},   {103, 'a', 88},
    {103, 'f', 88}, {110, 0, 90},   {110, 'a', 90}, {110, 'f', 90}, {120, 0, 87},   {120, 'a', 87}, {120, 'f', 88},
    {121, 0, 88},   {121, 'a', 88}, {121, 'f', 88},
};

}  // namespace

bool Parser::check_target(uint32_t sm, char letter) {
  const TargetRow* found = std::find_if(std::begin(kTargets), std::end(kTargets),
                                        [&](const TargetRow& row) { return row.sm == sm && row.letter == letter; });
  const Token& token = lexer_.current();
  if (found == std::end(kTargets)) return fail_here("unknown .target", "one of NVIDIA's, such as sm_80");
  return needs(found->first_version, 0, token.location, ".target " + std::string(token.text));
}

bool Parser::parse_target() {
  do {
    lexer_.advance();
    const Token& token = lexer_.current();
    const std::string_view name = token.text;
    if (token.kind != TokenKind::kIdentifier) return fail_here("bad .target", "a target such as sm_80");
    if (name.starts_with("sm_") || name.starts_with("compute_")) {
      std::string_view digits = name.substr(name.find('_') + 1);
      uint32_t sm = 0;
      while (!digits.empty() && digits.front() >= '0' && digits.front() <= '9' && sm < 1000) {
        sm = sm * 10 + static_cast<uint32_t>(digits.front() - '0');
        digits.remove_prefix(1);
      }
      const bool suffix = digits == "a" || digits == "f";
      if (!digits.empty() && !suffix) return fail_here("bad .target", "a target such as sm_80");
      const char letter = suffix ? digits.front() : static_cast<char>(0);
      if (!check_target(sm, letter)) return false;
      module_.sm = sm;
      module_.sm_suffix = letter;
    } else if (name == "texmode_independent" || name == "texmode_unified") {
      const bool independent = name == "texmode_independent";
      const std::string_view other = independent ? "texmode_unified" : "texmode_independent";
      if (std::find(module_.targets.begin(), module_.targets.end(), other) != module_.targets.end())
        return fail_here("two texture modes in .target", "texmode_unified or texmode_independent, not both");
      module_.texmode_independent = independent;
    } else if (name == "map_f64_to_f32" && module_.sm >= 13) {
      return fail_here("map_f64_to_f32 on a target that has f64", "no map_f64_to_f32 from sm_13 on");
    } else if (name != "debug" && name != "map_f64_to_f32") {
      return fail_here("unknown .target", "sm_NN, texmode_unified, texmode_independent, debug or map_f64_to_f32");
    }
    module_.targets.push_back(name);
    lexer_.advance();
  } while (is(','));
  if (module_.sm == 0) return fail_here(".target names no architecture", "a target such as sm_80");
  return true;
}

bool Parser::parse_linkage(Linkage& linkage, bool& seen) {
  static constexpr std::pair<std::string_view, Linkage> kLinkages[] = {{".extern", Linkage::kExtern},
                                                                       {".visible", Linkage::kVisible},
                                                                       {".weak", Linkage::kWeak},
                                                                       {".common", Linkage::kCommon}};
  for (const auto& [word, value] : kLinkages) {
    if (!is_word(word)) continue;
    if (seen) return fail_here("a second linkage directive", "one of .extern, .visible, .weak or .common");
    linkage = value;
    seen = true;
    lexer_.advance();
    return true;
  }
  return true;
}

bool Parser::parse_top_level() {
  const Token token = lexer_.current();
  if (is('@')) {  // @@DWARF lines of PTX before 2.0
    lexer_.advance();
    if (!is('@')) return fail_here("syntax error at module scope", "a directive");
    const std::string_view line = lexer_.skip_line();
    module_.sections.push_back({"@@", line});
    module_.order.push_back({TopLevel::Kind::kSection, static_cast<uint32_t>(module_.sections.size() - 1)});
    return true;
  }
  if (token.kind != TokenKind::kDotWord) {
    return fail_here("syntax error at module scope", "a directive such as .entry, .func, .global or .visible");
  }
  Linkage linkage = Linkage::kInternal;
  bool seen = false;
  for (;;) {
    const size_t before = lexer_.current().location.column;
    const uint32_t line = lexer_.current().location.line;
    if (!parse_linkage(linkage, seen)) return false;
    if (lexer_.current().location.column == before && lexer_.current().location.line == line) break;
  }
  if (is_word(".entry") || is_word(".func")) {
    const bool entry = is_word(".entry");
    if (linkage == Linkage::kCommon) return fail_here(".common of a function", ".extern, .visible or .weak");
    lexer_.advance();
    return parse_function(entry, linkage);
  }
  static constexpr std::pair<std::string_view, Space> kSpaces[] = {{".global", Space::kGlobal},
                                                                   {".const", Space::kConst},
                                                                   {".shared", Space::kShared},
                                                                   {".local", Space::kLocal},
                                                                   {".tex", Space::kTexture}};
  for (const auto& [word, space] : kSpaces) {
    if (!is_word(word)) continue;
    lexer_.advance();
    std::vector<VariableId> ids;
    if (!parse_variables(space, linkage, ids)) return false;
    for (const VariableId id : ids)
      module_.order.push_back({TopLevel::Kind::kVariable, id, linkage != Linkage::kExtern});
    return true;
  }
  if (seen) return fail_here("linkage without a function or variable", ".func, .entry, .global, .const or .shared");
  const auto add = [&](TopLevel::Kind kind, size_t count) {
    module_.order.push_back({kind, static_cast<uint32_t>(count - 1)});
    return true;
  };
  if (is_word(".file")) return parse_file() && add(TopLevel::Kind::kFile, module_.files.size());
  if (is_word(".section")) return parse_section() && add(TopLevel::Kind::kSection, module_.sections.size());
  if (is_word(".alias")) return parse_alias() && add(TopLevel::Kind::kAlias, module_.aliases.size());
  if (is_word(".pragma")) {
    std::vector<uint32_t> indices;
    if (!parse_pragma(indices)) return false;
    for (const uint32_t index : indices) module_.order.push_back({TopLevel::Kind::kPragma, index});
    return true;
  }
  if (is_word(".loc")) return fail_here(".loc at module scope", "a directive such as .entry, .func or .global");
  if (is_word(".version") || is_word(".target") || is_word(".address_size"))
    return fail_here(std::string(token.text) + " below the head of the module", "a directive such as .entry or .global",
                     "Move it up: .version, .target and .address_size are the first lines, in this order");
  if (is_word(".reg"))
    return fail_here("a register at module scope", "a variable", "Declare registers inside the function");
  if (is_word(".param"))
    return fail_here("a parameter at module scope", ".global, .const, .shared or .local",
                     "Declare it in the function's parameter list or body");
  return fail_here("unknown directive", "a directive such as .entry, .func, .global or .visible");
}

bool Parser::parse_file() {
  lexer_.advance();
  SourceFile file;
  uint64_t value = 0;
  if (!constant_integer(value, "file number", 0xffffffffu)) return false;
  file.number = static_cast<uint32_t>(value);
  if (lexer_.current().kind != TokenKind::kString) return fail_here("bad .file", "a file name in quotes");
  file.name = lexer_.current().text;
  lexer_.advance();
  if (accept(',')) {
    file.has_timestamp = true;
    if (!constant_integer(file.timestamp, "time stamp", ~uint64_t{0}) || !expect(',', ".file") ||
        !constant_integer(file.size, "file size", ~uint64_t{0}))
      return false;
  }
  module_.files.push_back(file);
  return true;
}

bool Parser::parse_section() {
  lexer_.advance();
  Section section;
  const Token& token = lexer_.current();
  if (token.kind != TokenKind::kDotWord) return fail_here("bad .section", "a section name such as .debug_info");
  section.name = token.text;
  lexer_.advance();
  if (!is('{')) return fail_here("bad .section", "'{'");
  const Location location = lexer_.current().location;
  section.body = lexer_.skip_braces();
  if (!is('}')) return fail(location, ".section is not closed", describe(lexer_.current()), "'}'");
  if (!check_section(section.body, location)) return false;
  lexer_.advance();
  module_.sections.push_back(section);
  return true;
}

// The body is kept as text; here it is read once: labels, and .b8, .b16, .b32 or .b64 with integers, labels and their
// sums and differences (PTX ISA, "Debugging Directives: .section"). `open` is the place of the brace before it.
bool Parser::check_section(std::string_view body, Location open) {
  Lexer lexer(body);
  const auto wrong = [&](std::string message, std::string expected) {
    const Location at = lexer.current().location;
    const Location place{open.line + at.line - 1, at.line == 1 ? open.column + at.column : at.column};
    return fail(place, std::move(message), lexer.current().kind == TokenKind::kEnd ? "'}'" : describe(lexer.current()),
                std::move(expected));
  };
  const auto accept_mark = [&](char c) {
    if (lexer.current().kind != TokenKind::kPunctuation || lexer.current().punctuation != c) return false;
    lexer.advance();
    return true;
  };
  const auto is_name = [&] {
    return lexer.current().kind == TokenKind::kIdentifier || lexer.current().kind == TokenKind::kDotWord;
  };
  while (lexer.current().kind != TokenKind::kEnd) {
    const Token token = lexer.current();
    if (token.kind == TokenKind::kIdentifier) {
      lexer.advance();
      if (!accept_mark(':')) return wrong("syntax error in .section", "':' after a label");
      continue;
    }
    const std::string_view word = token.text;
    const unsigned width = word == ".b8" ? 8 : word == ".b16" ? 16 : word == ".b32" ? 32 : word == ".b64" ? 64 : 0;
    if (token.kind != TokenKind::kDotWord || width == 0)
      return wrong("syntax error in .section", "a label, .b8, .b16, .b32 or .b64");
    lexer.advance();
    do {
      const bool negative = accept_mark('-');
      if (lexer.current().kind == TokenKind::kInteger) {
        if (!negative && width < 64 && lexer.current().value >> width != 0)
          return wrong("a value of .section is out of range", "at most " + std::to_string((uint64_t{1} << width) - 1));
        lexer.advance();
      } else if (is_name() && !negative) {
        lexer.advance();
        if (!accept_mark('+') && !accept_mark('-')) continue;
        if (lexer.current().kind != TokenKind::kInteger && !is_name())
          return wrong("syntax error in .section", "an integer or a label");
        lexer.advance();
      } else {
        return wrong("syntax error in .section", "an integer or a label");
      }
    } while (accept_mark(','));
  }
  return true;
}

bool Parser::parse_pragma(std::vector<uint32_t>& indices) {
  do {
    lexer_.advance();
    if (lexer_.current().kind != TokenKind::kString) return fail_here("bad .pragma", "a string in quotes");
    indices.push_back(static_cast<uint32_t>(module_.pragmas.size()));
    module_.pragmas.push_back(lexer_.current().text);
    lexer_.advance();
  } while (is(','));
  return expect(';', ".pragma");
}

bool Parser::parse_alias() {
  if (!needs(63, 30, lexer_.current().location, ".alias")) return false;
  lexer_.advance();
  FunctionId ids[2];
  for (int i = 0; i < 2; ++i) {
    std::string_view name;
    Location location;
    if (!expect_identifier(name, location, "the name of a function")) return false;
    uint32_t offset = 0;
    const Symbol* symbol = symbols_.find(name, offset);
    if (!symbol || symbol->kind != SymbolKind::kFunction)
      return fail(location, "unknown function", '\'' + std::string(name) + '\'', "a function declared above");
    ids[i] = symbol->index;
    if (i == 0 && !expect(',', ".alias")) return false;
  }
  module_.aliases.push_back({ids[0], ids[1]});
  return expect(';', ".alias");
}

bool Parser::parse_source_location(uint32_t& index) {
  lexer_.advance();
  SourceLocation result;
  const auto number = [&](uint32_t& out, std::string_view what) {
    uint64_t value = 0;
    if (!constant_integer(value, what, 0xffffffffu)) return false;
    out = static_cast<uint32_t>(value);
    return true;
  };
  if (!number(result.file, "file number") || !number(result.line, "line number") || !number(result.column, "column"))
    return false;
  while (accept(',')) {
    const Token word = lexer_.current();
    lexer_.advance();
    if (word.text == "function_name") {
      Location location;
      if (!expect_identifier(result.function_name, location, "a label of .debug_str")) return false;
      if (accept('+') && !constant_integer(result.function_name_offset, "offset", ~uint64_t{0} >> 1)) return false;
    } else if (word.text == "inlined_at") {
      result.inlined = true;
      if (!number(result.inlined_file, "file number") || !number(result.inlined_line, "line number") ||
          !number(result.inlined_column, "column"))
        return false;
    } else {
      return fail(word.location, "bad .loc", describe(word), "function_name or inlined_at");
    }
  }
  index = static_cast<uint32_t>(module_.source_locations.size());
  module_.source_locations.push_back(result);
  return true;
}

bool Parser::finish_module() {
  return true;
}

Result<std::shared_ptr<const Module>> parse(std::string text, std::string name) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
  auto module = std::make_shared<Module>();
  module->name = std::move(name);
  if (text.size() > 0xfffffff0u)
    return input_error(module->name, "the text is too large", "Split the module: 4 GB is the most");
  module->text = std::make_shared<const std::string>(std::move(text));
  module->owned_names = std::make_shared<std::deque<std::string>>();
  Parser parser(*module);
  if (!parser.parse_module()) return parser.take_error();
  return std::shared_ptr<const Module>(std::move(module));
}

}  // namespace ww::ptx
