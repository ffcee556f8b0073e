#include "base/error.h"

#include <utility>

namespace ww {

std::string Error::to_string() const {
  std::string text;
  if (!file.empty()) {
    text += file;
    if (line != 0) text += ":" + std::to_string(line);
    if (line != 0 && column != 0) text += ":" + std::to_string(column);
    text += ": ";
  } else if (line != 0) {
    text += "line " + std::to_string(line) + ": ";
  }
  if (!kernel.empty()) text += "in " + kernel + ": ";
  text += message;
  if (!found.empty()) text += "; found " + found;
  if (!expected.empty()) text += (found.empty() ? "; expected " : ", expected ") + expected;
  if (!fix.empty()) text += ". " + fix;
  return text;
}

int exit_status(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kRuntime:
    case ErrorKind::kUnsupported:
      return 1;
    case ErrorKind::kUsage:
      return 2;
    case ErrorKind::kInput:
      return 3;
    case ErrorKind::kInterrupted:
      return 130;
  }
  return 1;
}

static Error make(ErrorKind kind, std::string message, std::string fix) {
  Error error;
  error.kind = kind;
  error.message = std::move(message);
  error.fix = std::move(fix);
  return error;
}

Error runtime_error(std::string message, std::string fix) {
  return make(ErrorKind::kRuntime, std::move(message), std::move(fix));
}
Error unsupported_error(std::string message, std::string fix) {
  return make(ErrorKind::kUnsupported, std::move(message), std::move(fix));
}
Error usage_error(std::string message, std::string fix) {
  return make(ErrorKind::kUsage, std::move(message), std::move(fix));
}
Error input_error(std::string file, std::string message, std::string fix) {
  Error error = make(ErrorKind::kInput, std::move(message), std::move(fix));
  error.file = std::move(file);
  return error;
}

}  // namespace ww
