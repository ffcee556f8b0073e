// PTX text to syntax tree.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "ptx/module.h"

namespace ww::ptx {

// Parses a whole module. `name` stands in messages in place of the file. A trailing NUL is ignored. The first
// error is returned (kind kInput: file, line, column, kernel, found, expected); there is no recovery.
// Checks what the grammar and the instruction table fix: unknown names, modifiers, types, operand kinds and counts,
// versions. What needs more (types of operands, targets, alignment) is `verify`'s.
Result<std::shared_ptr<const Module>> parse(std::string text, std::string name);

}  // namespace ww::ptx
