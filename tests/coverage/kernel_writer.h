// Text of a kernel that runs one form: each thread reads its operands, runs the instruction in one or more ways, and
// writes what it gave.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/texel_format.h"
#include "coverage/forms.h"

namespace ww::coverage {

constexpr uint32_t kThreads = 8192;  // operand tuples a form
constexpr uint32_t kBlock = 256;

enum class ColumnUse : uint8_t {
  kValue,
  kMatrix,    // part of a matrix: many values make one result, so special ones must be rare
  kMetadata,  // which elements of a sparse matrix there are: legal nibbles
  kImage,     // handles, coordinates and the like: fill_image_operands
  kStored,    // as kValue, but equal in threads that store to the same place of an image
};

// One 64-bit word a thread: a value in its low bits.
struct Column {
  ptx::Type type = ptx::Type::kNone;
  std::string name;  // of the operand in the table
  ColumnUse use = ColumnUse::kValue;
};

enum class ImageUse : uint8_t {
  kNone,
  kFloat,
  kUnsigned,
  kSigned,
  kCompare,  // textures with one channel of f32 or unorm16
  kQuery,    // textures of all shapes
  kSurfaceLoad,
  kSurfaceStore,
  kSurfaceReduce,
  kSurfaceQuery,
};

// The images that a kernel wants, one a block (image_settings.h).
struct ImageNeed {
  ImageUse use = ImageUse::kNone;
  ImageShape shape = ImageShape::k2D;
  bool levels = false;         // textures: some have levels
  bool integer = false;        // coordinates of textures are whole texels
  uint32_t element_bytes = 0;  // surfaces: a texel has as many, of an integer format; 0: formats of all sizes
  uint32_t access_bytes = 0;   // surfaces: of one access, where x counts bytes; 0: x counts texels
  bool strays = false;         // surfaces: some accesses lie outside of the image
  bool drops_strays = false;   // and do nothing there

  friend bool operator==(const ImageNeed&, const ImageNeed&) = default;
  bool is_surface() const { return use >= ImageUse::kSurfaceLoad; }
  bool changes_image() const { return use == ImageUse::kSurfaceStore || use == ImageUse::kSurfaceReduce; }
};

struct Kernel {
  std::string name;
  // An entry `name(.param .u64 in, .param .u64 out, .param .align 16 .b8 block[16])`: operand column k of thread t is
  // the word k * kThreads + t of `in`, result r the word r * kThreads + t of `out`, `block` kParameterBlock. What is
  // narrower than a word leaves zeros above it.
  std::string text;
  std::vector<Column> operands, results;
  std::vector<std::string> lines;  // the instruction as written, each time that it runs
  // With images: column `handle` of the operands names the block's. If the kernel changes them, the last result column
  // is not the kernel's: it holds each image's bytes afterwards, 2 KB a block.
  ImageNeed images;
  bool has_samplers = false;  // of their own: the module is in the independent texture mode
};

// The kernel's third parameter, and what .const variables hold: bytes that differ, and whose signs do.
constexpr uint64_t kParameterBlock[2] = {0xf8e7d6c5b4a39281u, 0x7f6e5d4c3b2a1900u};

// The instruction that a form's suffixes make, without operands.
ptx::Instruction instruction_of(const Form& form);

// Bits of the register that holds a value of the type: 1 for a predicate, at least 16 for others.
unsigned register_bits(ptx::Type type);

// Opcode and suffixes without dots: {"wmma", "load", "a", ...}.
std::vector<std::string> words_of(const Form& form);
bool contains(const std::vector<std::string>& words, std::string_view word);

// "a", or "{a, b}" if there are more.
std::string operand_list(const std::vector<std::string>& names);

class KernelWriter {
 public:
  KernelWriter(const Form& form, std::string name) : form_(form) { kernel_.name = std::move(name); }

  void declare(const std::string& name, unsigned width);
  // Declares a register and gives it the next operand column (two for 128 bits).
  void load(const std::string& name, const Column& column);
  // Adds lines of text to the body.
  void add(const std::string& text) { body_ += text + "\n"; }
  // Adds one way to write the instruction, and says that it did; false: the verifier refuses it for sm_90.
  bool add_instruction(const std::string& operands);
  // Says that the text added holds the instruction, as written here.
  void note_line(const std::string& text) { kernel_.lines.push_back(text); }
  // Whether the verifier takes it; nothing is added.
  bool is_legal(const std::string& operands) const;
  // Writes a register to the next result column (two for 128 bits).
  void store(const std::string& name, ptx::Type type);
  // 0 or false.
  void clear(const std::string& name, unsigned width);
  // Variables of the module or of the kernel, before the registers.
  void declare_module_variable(const std::string& text) { module_variables_ += text + "\n"; }
  void declare_variable(const std::string& text) { declarations_ += text + "\n"; }
  // A directive of the entry: ".reqnctapercluster 2".
  void add_directive(const std::string& text) { directives_ += text + "\n"; }
  // Adds a result column that is not written through `store`; its offset from %out in bytes, for thread 0.
  uint64_t add_results(ptx::Type type, const std::string& name, unsigned columns);

  const std::string& name() const { return kernel_.name; }
  // Adds operand columns that the kernel does not load into registers of its own.
  void add_operands(ptx::Type type, const std::string& operand, unsigned columns);
  // Where the next operand column begins in the operands, in bytes.
  uint64_t operand_bytes() const;
  void set_images(const ImageNeed& images) { kernel_.images = images; }
  bool has_lines() const { return !kernel_.lines.empty(); }
  Kernel finish();

 private:
  std::string line(const std::string& operands) const;
  std::string operand_place() const;
  std::string result_place() const;

  const Form& form_;
  Kernel kernel_;
  std::string module_variables_, directives_, declarations_, loads_, body_;
};

}  // namespace ww::coverage
