#include "frame/json_position.h"

#include <gtest/gtest.h>

namespace ww::frame {
namespace {

TEST(JsonPosition, FindsMembersAndElements) {
  const std::string text = "{ \"a\": [1, \"x,]\\\"\", {\"b\" : true}],\n  \"c\":{\"d\": -2.5e3, \"e\":[ ]}\n}";
  const auto at = [&](const JsonPath& path) {
    const TextPosition position = json_position(text, path);
    return std::pair(position.line, position.column);
  };
  using P = std::pair<uint32_t, uint32_t>;
  EXPECT_EQ(at({}), P(1, 1));
  EXPECT_EQ(at({{"a", 0}}), P(1, 8));
  EXPECT_EQ(at({{"a", 0}, {"", 1}}), P(1, 12));
  EXPECT_EQ(at({{"a", 0}, {"", 2}, {"b", 0}}), P(1, 28));
  EXPECT_EQ(at({{"c", 0}}), P(2, 7));
  EXPECT_EQ(at({{"c", 0}, {"e", 0}}), P(2, 25));
  EXPECT_EQ(at({{"c", 0}, {"missing", 0}}), P(2, 7)) << "a missing member: where its object starts";
  EXPECT_EQ(at({{"a", 0}, {"", 9}}), P(1, 8));
}

TEST(JsonPosition, NamesPaths) {
  EXPECT_EQ(path_text({{"frames", 0}, {"", 3}, {"jitter", 0}, {"", 1}}), "frames[3].jitter[1]");
  EXPECT_EQ(path_text({}), "the document");
}

}  // namespace
}  // namespace ww::frame
