// Errors are values: where, what was found, what was expected, what to do. No exception crosses a library boundary.
#pragma once

#include <cstdint>
#include <string>

namespace ww {

// What kind of failure; each maps to one exit status of the command (docs/command.md).
enum class ErrorKind : uint8_t {
  kRuntime,      // failed while running                              -> exit 1
  kUnsupported,  // legal, but not supported here                     -> exit 1
  kUsage,        // unknown option, entry, device; arguments don't fit -> exit 2
  kInput,        // an input that cannot be read or is illegal        -> exit 3
  kInterrupted,  // ctrl-C                                            -> exit 130
};

// One failure. Empty strings and zero numbers mean "not known"; `message` is always set.
struct Error {
  ErrorKind kind = ErrorKind::kRuntime;
  std::string message;   // one sentence without place: "unknown instruction"
  std::string file;      // path as the user gave it, or a module's name
  uint32_t line = 0;     // 1-based; 0: none
  uint32_t column = 0;   // 1-based; 0: none
  std::string kernel;    // entry or function, if inside one
  std::string found;     // what stood there
  std::string expected;  // what should have stood there
  std::string fix;       // what to do

  // "file:line:column: in kernel K: message; found F, expected E. Fix."
  std::string to_string() const;
};

// The exit status of the command for this kind: 1, 2, 3 or 130.
int exit_status(ErrorKind kind);

Error runtime_error(std::string message, std::string fix = {});
Error unsupported_error(std::string message, std::string fix = {});
Error usage_error(std::string message, std::string fix = {});
Error input_error(std::string file, std::string message, std::string fix = {});

}  // namespace ww
