#include "coverage/record_space.h"

namespace ww::coverage {

using ptx::Space;
using ptx::Type;

namespace {

std::string number(uint64_t value) {
  return std::to_string(value);
}

// A shared or local array with a record for each thread that can see it.
void add_array(KernelWriter& writer, Space space, const std::string& address) {
  const bool shared = space == Space::kShared;
  const std::string array = address.substr(1) + "_records";
  writer.declare_variable((shared ? ".shared .align 16 .b8 " : ".local .align 16 .b8 ") + array + "[" +
                          number(shared ? uint64_t{kBlock} * kRecordBytes : kRecordBytes) + "];");
  writer.add("mov.u64 " + address + ", " + array + ";");
  if (shared) writer.add("mov.u32 %n, %tid.x;\nmad.wide.u32 " + address + ", %n, 16, " + address + ";");
}

// ".shared"; a generic address is here one of global memory.
std::string word_of(Space space) {
  return std::string(ptx::spelling(space == Space::kGeneric ? Space::kGlobal : space));
}

void fence_block(KernelWriter& writer, Space space) {
  if (space == Space::kShared) writer.add("bar.sync 0;");
}

}  // namespace

bool add_filled_record(KernelWriter& writer, Space space, const std::string& address) {
  if (space == Space::kParam) return false;
  writer.declare(address, 64);
  if (space == Space::kConst) {
    const std::string variable = writer.name() + "_constants";
    writer.declare_module_variable(".const .align 16 .b64 " + variable + "[4] = {" + number(kParameterBlock[0]) + ", " +
                                   number(kParameterBlock[1]) + ", " + number(~kParameterBlock[1]) + ", " +
                                   number(~kParameterBlock[0]) + "};");
    writer.add("mov.u64 " + address + ", " + variable + ";\nand.b32 %n, %t, 1;\nmad.wide.u32 " + address +
               ", %n, 16, " + address + ";");
    return true;
  }
  writer.add_operands(Type::kB64, "memory", 2);
  if (space == Space::kGlobal || space == Space::kGeneric) {
    writer.add("ld.param.u64 " + address + ", [in];\nmad.wide.u32 " + address + ", %t, 16, " + address + ";");
    return true;
  }
  const std::string source = address + "_source";
  writer.declare(source, 64);
  add_array(writer, space, address);
  writer.add("ld.param.u64 " + source + ", [in];\nmad.wide.u32 " + source + ", %t, 16, " + source +
             ";\n{ .reg .b64 %low, %high;\nld.global.v2.b64 {%low, %high}, [" + source + "];\nst" + word_of(space) +
             ".v2.b64 [" + address + "], {%low, %high}; }");
  fence_block(writer, space);
  return true;
}

bool add_writable_record(KernelWriter& writer, Space space, const std::string& address) {
  if (space == Space::kParam || space == Space::kConst) return false;
  writer.declare(address, 64);
  if (space == Space::kShared || space == Space::kLocal) {
    add_array(writer, space, address);
  } else {
    const uint64_t offset = writer.add_results(Type::kB64, "memory", 2);
    writer.add("ld.param.u64 " + address + ", [out];\nmad.wide.u32 " + address + ", %t, 16, " + address +
               ";\nadd.u64 " + address + ", " + address + ", " + number(offset) + ";");
  }
  writer.add("{ .reg .b64 %fill;\nmov.b64 %fill, 0xc9c9c9c9c9c9c9c9;\nst" + word_of(space) + ".v2.b64 [" + address +
             "], {%fill, %fill}; }");
  fence_block(writer, space);
  return true;
}

void add_record_results(KernelWriter& writer, Space space, const std::string& address) {
  if (space != Space::kShared && space != Space::kLocal) return;  // the record is in the results
  fence_block(writer, space);
  const std::string low = address + "_low", high = address + "_high";
  writer.declare(low, 64);
  writer.declare(high, 64);
  writer.add("ld" + word_of(space) + ".v2.b64 {" + low + ", " + high + "}, [" + address + "];");
  writer.store(low, Type::kB64);
  writer.store(high, Type::kB64);
}

}  // namespace ww::coverage
