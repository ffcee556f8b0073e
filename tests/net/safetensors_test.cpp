// The reader of weights against files written by hand, sound and hostile.
#include "net/safetensors.h"

#include <gtest/gtest.h>

#include <string>

namespace ww::net {
namespace {

std::vector<uint8_t> file_of(const std::string& header, size_t data_bytes, uint64_t claimed = 0) {
  const uint64_t length = claimed != 0 ? claimed : header.size();
  std::vector<uint8_t> bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<uint8_t>(length >> (8 * i)));
  bytes.insert(bytes.end(), header.begin(), header.end());
  for (size_t i = 0; i < data_bytes; ++i) bytes.push_back(static_cast<uint8_t>(i));
  return bytes;
}

TEST(Safetensors, TensorsAreViewsAtTheirOffsets) {
  const auto bytes = file_of(R"({"__metadata__":{"a":"b"},"x":{"dtype":"F16","shape":[2,3],"data_offsets":[0,12]},)"
                             R"("y":{"dtype":"F32","shape":[],"data_offsets":[12,16]}})",
                             16);
  auto tensors = parse_safetensors(bytes, "w");
  ASSERT_TRUE(tensors.ok()) << tensors.error().to_string();
  ASSERT_EQ(tensors->size(), 2u);
  const Tensor& x = tensors->at("x");
  EXPECT_EQ(x.dtype, "F16");
  EXPECT_EQ(x.shape, (std::vector<uint64_t>{2, 3}));
  EXPECT_EQ(x.elements(), 6u);
  EXPECT_EQ(x.bytes.size(), 12u);
  EXPECT_EQ(x.bytes[5], 5);
  EXPECT_EQ(tensors->at("y").bytes[0], 12);
  EXPECT_EQ(tensors->at("y").elements(), 1u);
}

struct Hostile {
  const char* what;
  std::vector<uint8_t> bytes;
  const char* words;
};

class SafetensorsHostile : public testing::TestWithParam<size_t> {};

std::vector<Hostile> hostile_files() {
  const std::string f16 = R"({"x":{"dtype":"F16","shape":)";
  return {
      {"empty", {}, "too short"},
      {"seven bytes", {1, 2, 3, 4, 5, 6, 7}, "too short"},
      {"header longer than the file", file_of("{}", 0, 1000), "does not fit"},
      {"header of 2^64 - 1", file_of("{}", 0, ~uint64_t{0}), "does not fit"},
      {"not JSON", file_of("{\"x\":", 0), "not a JSON object"},
      {"a list", file_of("[1]", 0), "not a JSON object"},
      {"deep nesting", file_of(std::string(100000, '['), 0), "not a JSON object"},
      {"an entry that is no object", file_of(R"({"x":3})", 0), "not described"},
      {"unknown dtype", file_of(R"({"x":{"dtype":"F12","shape":[1],"data_offsets":[0,2]}})", 2), "unknown dtype"},
      {"negative size", file_of(f16 + R"([-1],"data_offsets":[0,2]}})", 2), "no legal shape"},
      {"fractional size", file_of(f16 + R"([1.5],"data_offsets":[0,3]}})", 3), "no legal shape"},
      {"too many sizes", file_of(f16 + R"([1,1,1,1,1,1,1,1,1],"data_offsets":[0,2]}})", 2), "no legal shape"},
      {"size that overflows", file_of(f16 + R"([4294967296,4294967296,2],"data_offsets":[0,0]}})", 0), "too large"},
      {"end before begin", file_of(f16 + R"([1],"data_offsets":[2,0]}})", 2), "outside the file"},
      {"end behind the file", file_of(f16 + R"([2],"data_offsets":[0,4]}})", 2), "outside the file"},
      {"another size than the shape", file_of(f16 + R"([3],"data_offsets":[0,4]}})", 4), "another size"},
      {"overlap",
       file_of(f16 + R"([2],"data_offsets":[0,4]},"y":{"dtype":"F16","shape":[2],"data_offsets":[2,6]}})", 6),
       "overlap"},
  };
}

TEST_P(SafetensorsHostile, IsRefusedWithTheReason) {
  const Hostile file = hostile_files()[GetParam()];
  auto tensors = parse_safetensors(file.bytes, "weights.safetensors");
  ASSERT_FALSE(tensors.ok()) << file.what;
  EXPECT_EQ(tensors.error().kind, ErrorKind::kInput) << file.what;
  EXPECT_EQ(tensors.error().file, "weights.safetensors");
  EXPECT_NE(tensors.error().message.find(file.words), std::string::npos) << tensors.error().to_string();
  EXPECT_FALSE(tensors.error().fix.empty());
}

INSTANTIATE_TEST_SUITE_P(Files, SafetensorsHostile, testing::Range(size_t{0}, hostile_files().size()));

TEST(Safetensors, MissingFileIsNamed) {
  auto opened = SafeTensors::open("/nonexistent/weights.safetensors");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().kind, ErrorKind::kInput);
  EXPECT_EQ(opened.error().file, "/nonexistent/weights.safetensors");
}

}  // namespace
}  // namespace ww::net
