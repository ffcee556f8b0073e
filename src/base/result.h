// Result<T>: a value or an Error, in the manner of std::expected (C++23), which Debian 12's default mode lacks.
#pragma once

#include <cassert>
#include <optional>
#include <utility>
#include <variant>

#include "base/error.h"

namespace ww {

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() {
    assert(ok());
    return std::get<0>(state_);
  }
  const T& value() const {
    assert(ok());
    return std::get<0>(state_);
  }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() {
    assert(!ok());
    return std::get<1>(state_);
  }
  const Error& error() const {
    assert(!ok());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  Error& error() {
    assert(!ok());
    return *error_;
  }
  const Error& error() const {
    assert(!ok());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace ww

// Returns the error of `expression` from the enclosing function, if it has one.
#define WW_TRY(expression)                                                                   \
  do {                                                                                       \
    if (auto ww_status = (expression); !ww_status.ok()) return std::move(ww_status.error()); \
  } while (0)

#define WW_CONCAT_(a, b) a##b
#define WW_CONCAT(a, b) WW_CONCAT_(a, b)

// `WW_ASSIGN(auto x, f());` binds the value, or returns the error.
#define WW_ASSIGN(declaration, expression) WW_ASSIGN_(declaration, expression, WW_CONCAT(ww_result_, __LINE__))
#define WW_ASSIGN_(declaration, expression, name) \
  auto name = (expression);                       \
  if (!name.ok()) return std::move(name.error()); \
  declaration = std::move(name.value())
