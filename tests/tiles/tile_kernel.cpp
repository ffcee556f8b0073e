#include "tiles/tile_kernel.h"

#include "golden/fnv.h"
#include "tiles/ptx_word.h"

namespace ww::tiles {

namespace {

const char* const kHead = ".version 9.0\n.target sm_90\n.address_size 64\n";

// An operand of the instruction from its words: registers, or pairs of words joined to f64 registers.
std::string registers(PtxText& text, const TileOperand& operand, const std::vector<std::string>& words,
                      const std::string& name, bool joins) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < operand.words; ++i) {
    if (!operand.is_f64) {
      names.push_back(words[i]);
    } else if (i % 2 == 0) {
      names.push_back("%" + name + std::to_string(i / 2));
      if (joins) text.line("mov.b64 " + names.back() + ", {" + words[i] + ", " + words[i + 1] + "};");
    }
  }
  std::string list;
  for (const std::string& register_name : names) list += (list.empty() ? "" : ", ") + register_name;
  return "{" + list + "}";
}

struct Operands {
  std::vector<std::string> a, b, c, turn;
  std::string metadata;
};

std::vector<std::string> results(const TileForm& form) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < form.d.words; ++i) names.push_back("%d" + std::to_string(i));
  return names;
}

std::string declarations(const TileForm& form) {
  std::string text = ".reg .b32 %d<" + std::to_string(form.d.words) + ">;\n";
  for (const auto& [name, operand] : {std::pair{"fa", &form.a}, {"fb", &form.b}, {"fc", &form.c}, {"fd", &form.d}})
    if (operand->is_f64) text += ".reg .f64 %" + std::string(name) + "<" + std::to_string(operand->words / 2) + ">;\n";
  return text;
}

// One step with `c`; its results are in %d0 ... as words.
void step(PtxText& text, const TileForm& form, const Operands& o, const std::vector<std::string>& c,
          unsigned selector) {
  const std::string a = registers(text, form.a, o.a, "fa", true), b = registers(text, form.b, o.b, "fb", true),
                    accumulators = registers(text, form.c, c, "fc", true),
                    d = registers(text, form.d, results(form), "fd", false);
  text.line(form.name + " " + d + ", " + a + ", " + b + ", " + accumulators +
            (form.is_sparse ? ", " + o.metadata + ", " + std::to_string(selector) : "") + ";");
  if (form.d.is_f64)
    for (unsigned i = 0; i < form.d.words; i += 2)
      text.line("mov.b64 {%d" + std::to_string(i) + ", %d" + std::to_string(i + 1) + "}, %fd" + std::to_string(i / 2) +
                ";");
}

// The second step's C. Where D is f16 and C f32, or the reverse, the words are as many as D has; the rest is as it was.
std::vector<std::string> turned(PtxText& text, const TileForm& form, const Operands& o) {
  std::vector<std::string> c = o.c;
  for (unsigned i = 0; i < std::min(form.c.words, form.d.words); ++i)
    c[i] = text.add("xor.b32", results(form)[i] + ", " + o.turn[i]);
  return c;
}

std::string entry(const std::string& name, const std::string& parameters, const PtxText& text,
                  const std::string& more) {
  return ".visible .entry " + name + "(" + parameters + ")\n{\n.reg .b32 %w<" + std::to_string(text.registers() + 1) +
         ">;\n.reg .pred %p<" + std::to_string(text.predicates() + 1) + ">;\n" + more + text.body() + "}\n";
}

}  // namespace

std::string hash_kernel(const TileForm& form) {
  PtxText text;
  const auto special = [&](const char* name) { return PtxWord(&text, text.add("mov.u32", name)); };
  const PtxWord lane = special("%laneid"), block = special("%ctaid.x");
  const PtxWord first(&text, text.add("ld.param.u32", "[first]"));
  const PtxWord batch = first + block;
  text.line("ld.param.u64 %out, [out];");
  text.line("mov.u64 %hash, " + std::to_string(golden::kFnvBasis) + ";");
  text.line("mov.u32 %i, 0;");
  text.line("next:");
  const PtxWord number = batch * kBatchPairs + PtxWord(&text, "%i");
  const Tile<PtxWord> tile(number);
  Operands o;
  const auto words = [&](std::vector<std::string>& to, const TileOperand& operand, const OperandStyle<PtxWord>& style,
                         Role role) {
    const Pattern<PtxWord> pattern(style, operand.format);
    if (!operand.is_f64) {
      for (uint32_t i = 0; i < operand.words; ++i)
        to.push_back(operand_word(tile, style, pattern, role, operand.format, lane, i, i).name());
      return;
    }
    const Pattern<PtxWord> low(style, operand.low_format);
    for (uint32_t i = 0; i < operand.words; i += 2) {
      to.push_back(operand_word(tile, style, low, role, operand.low_format, lane, i, i).name());
      to.push_back(operand_word(tile, style, pattern, role, operand.format, lane, i + 1, i).name());
    }
  };
  words(o.a, form.a, tile.a, Role::kA);
  words(o.b, form.b, tile.b, Role::kB);
  words(o.c, form.c, tile.c, Role::kC);
  const PtxWord turn = tile.turn(form.c.format);
  const std::string low = form.c.is_f64 ? tile.turn(form.c.low_format).name() : "";
  for (unsigned i = 0; i < form.d.words; ++i) o.turn.push_back(form.c.is_f64 && i % 2 == 0 ? low : turn.name());
  if (form.is_sparse) o.metadata = metadata_word(tile, number, lane, form.any_order, form.pairs).name();

  const auto fold = [&] {
    for (const std::string& word : results(form)) {
      text.line("cvt.u64.u32 %wide, " + word + ";");
      text.line("xor.b64 %hash, %hash, %wide;");
      text.line("mul.lo.u64 %hash, %hash, " + std::to_string(golden::kFnvPrime) + ";");
      text.line("shr.u64 %wide, %hash, 32;");
      text.line("xor.b64 %hash, %hash, %wide;");
    }
  };
  const unsigned selectors = std::max(form.selectors, 1u);
  const PtxWord selector = number & (selectors - 1);  // a power of two
  for (unsigned s = 0; s < selectors; ++s) {
    const std::string other = "other" + std::to_string(s);
    if (s + 1 < selectors) {
      const std::string predicate = text.predicate();
      text.line("setp.ne.u32 " + predicate + ", " + selector.name() + ", " + std::to_string(s) + ";");
      text.line("@" + predicate + " bra " + other + ";");
    }
    step(text, form, o, o.c, s);
    fold();
    step(text, form, o, turned(text, form, o), s);
    fold();
    if (s + 1 < selectors) {
      text.line("bra done;");
      text.line(other + ":");
    }
  }
  text.line("done:");
  text.line("add.u32 %i, %i, 1;");
  const std::string more = text.predicate();
  text.line("setp.lt.u32 " + more + ", %i, " + std::to_string(kBatchPairs) + ";");
  text.line("@" + more + " bra next;");
  const PtxWord place = block * 32u + lane;
  text.line("mul.wide.u32 %wide, " + place.name() + ", 8;");
  text.line("add.u64 %out, %out, %wide;");
  text.line("st.global.u64 [%out], %hash;");
  text.line("ret;");
  return kHead + entry("hash", ".param .u64 out, .param .u32 first", text,
                       ".reg .b32 %i;\n.reg .b64 %out, %hash, %wide;\n" + declarations(form));
}

std::string tiles_kernel(const TileForm& form) {
  std::string module = kHead;
  for (unsigned s = 0; s < std::max(form.selectors, 1u); ++s) {
    PtxText text;
    text.line("ld.param.u64 %in, [in];");
    text.line("ld.param.u64 %out, [out];");
    const PtxWord lane(&text, text.add("mov.u32", "%laneid")), block(&text, text.add("mov.u32", "%ctaid.x"));
    const PtxWord from = block * (form.operand_words() * 32) + lane, to = block * (2 * form.d.words * 32) + lane;
    text.line("mul.wide.u32 %wide, " + from.name() + ", 4;");
    text.line("add.u64 %in, %in, %wide;");
    text.line("mul.wide.u32 %wide, " + to.name() + ", 4;");
    text.line("add.u64 %out, %out, %wide;");
    Operands o;
    unsigned at = 0;
    const auto load = [&] { return text.add("ld.global.b32", "[%in+" + std::to_string(128 * at++) + "]"); };
    for (unsigned i = 0; i < form.a.words; ++i) o.a.push_back(load());
    for (unsigned i = 0; i < form.b.words; ++i) o.b.push_back(load());
    for (unsigned i = 0; i < form.c.words; ++i) o.c.push_back(load());
    for (unsigned i = 0; i < form.d.words; ++i) o.turn.push_back(load());
    if (form.is_sparse) o.metadata = load();
    unsigned stored = 0;
    const auto store = [&] {
      for (const std::string& word : results(form))
        text.line("st.global.b32 [%out+" + std::to_string(128 * stored++) + "], " + word + ";");
    };
    step(text, form, o, o.c, s);
    store();
    step(text, form, o, turned(text, form, o), s);
    store();
    text.line("ret;");
    module += entry(form.selectors == 0 ? "tiles" : "tiles" + std::to_string(s), ".param .u64 in, .param .u64 out",
                    text, ".reg .b64 %in, %out, %wide;\n" + declarations(form));
  }
  return module;
}

}  // namespace ww::tiles
