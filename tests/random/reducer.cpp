#include "random/reducer.h"

#include <algorithm>

namespace ww::programs {
namespace {

class Reducer {
 public:
  Reducer(Program program, const std::function<bool(const Program&)>& shows)
      : program_(std::move(program)), shows_(shows) {}

  Program run() {
    do {
      changed_ = false;
      for (size_t i = program_.functions.size(); i-- != 0;)
        shrink([ this, i ]() -> auto& { return program_.functions[i].body; });
      drop_stores();
    } while (changed_);
    return std::move(program_);
  }

 private:
  using Body = std::vector<Statement>;

  // Keeps `changed` if it still shows; the program is as before otherwise.
  template <typename Change>
  bool attempt(const Change& change) {
    Program before = program_;
    change();
    if (shows_(program_)) return changed_ = true;
    program_ = std::move(before);
    return false;
  }

  // `get` finds the list in program_, which attempts replace.
  void shrink(const std::function<Body&()>& get) {
    for (size_t length = std::max<size_t>(get().size() / 2, 1); length != 0; length /= 2)
      for (size_t end = get().size(); end != 0;) {
        const size_t first = end > length ? end - length : 0;
        attempt([&] {
          Body& list = get();
          list.erase(list.begin() + static_cast<std::ptrdiff_t>(first),
                     list.begin() + static_cast<std::ptrdiff_t>(end));
        });
        end = first;
      }
    for (size_t i = get().size(); i-- != 0;) {
      if (get()[i].may_unwrap && attempt([&] { unwrap(get(), i); })) {
        i = std::min(i + get().size(), get().size());  // look at what came out
        if (i == 0) break;
        continue;
      }
      if (!get()[i].guard.empty()) attempt([&] { get()[i].guard.clear(); });
      for (size_t k = 0; k < get()[i].bodies.size(); ++k)
        shrink([&get, i, k]() -> Body& { return get()[i].bodies[k]; });
    }
  }

  static void unwrap(Body& list, size_t i) {
    Statement outer = std::move(list[i]);
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    auto place = list.begin() + static_cast<std::ptrdiff_t>(i);
    for (Body& body : outer.bodies) {
      place = list.insert(place, std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
      place += static_cast<std::ptrdiff_t>(body.size());
    }
  }

  void drop_stores() {
    const auto stores = [&]() -> auto& {
      return program_.functions.back().stores;
    };
    for (size_t length = stores().size(); length != 0; length /= 2)
      for (size_t end = stores().size(); end != 0;) {
        const size_t first = end > length ? end - length : 0;
        attempt([&] {
          auto& list = stores();
          list.erase(list.begin() + static_cast<std::ptrdiff_t>(first),
                     list.begin() + static_cast<std::ptrdiff_t>(end));
        });
        end = first;
      }
  }

  Program program_;
  const std::function<bool(const Program&)>& shows_;
  bool changed_ = false;
};

}  // namespace

Program reduce(Program program, const std::function<bool(const Program&)>& shows) {
  return Reducer(std::move(program), shows).run();
}

}  // namespace ww::programs
