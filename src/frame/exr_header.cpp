#include "frame/exr_header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

namespace ww::frame {
namespace {

constexpr uint32_t kMagic = 20000630;
constexpr uint32_t kFlagTiled = 0x200, kFlagDeep = 0x800, kFlagMultipart = 0x1000;
constexpr int kMaxChannels = 64;
// Uncompressed size that a file may claim: a floor, and the best ratio that any of the compressions reaches.
constexpr uint64_t kBudgetFloor = uint64_t{256} << 20;
constexpr uint64_t kBudgetRatio = 4096;

// Scan lines a chunk, by the number of the compression: none, RLE, ZIPS, ZIP, PIZ, PXR24, B44, B44A, DWAA, DWAB.
constexpr std::array<int, 10> kLinesPerChunk = {1, 1, 1, 16, 32, 16, 32, 32, 32, 256};

// Reads little-endian numbers and strings; every read says whether it stayed inside the bytes.
class Cursor {
 public:
  explicit Cursor(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  size_t position() const { return position_; }
  size_t left() const { return bytes_.size() - position_; }

  bool u32(uint32_t& value) {
    if (left() < 4) return false;
    std::memcpy(&value, bytes_.data() + position_, 4);
    position_ += 4;
    return true;
  }
  bool i32(int32_t& value) {
    uint32_t bits = 0;
    if (!u32(bits)) return false;
    value = static_cast<int32_t>(bits);
    return true;
  }
  // A null-terminated string of at most 255 characters.
  bool string(std::string& text) {
    const auto* start = bytes_.data() + position_;
    const auto* end = static_cast<const uint8_t*>(std::memchr(start, 0, std::min<size_t>(left(), 256)));
    if (end == nullptr) return false;
    text.assign(start, end);
    position_ += text.size() + 1;
    return true;
  }
  bool take(size_t count, std::span<const uint8_t>& part) {
    if (left() < count) return false;
    part = bytes_.subspan(position_, count);
    position_ += count;
    return true;
  }

 private:
  std::span<const uint8_t> bytes_;
  size_t position_ = 0;
};

// Writes what Cursor reads.
class HeaderWriter {
 public:
  void u32(uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) bytes_.push_back(static_cast<uint8_t>(value >> shift));
  }
  void string(std::string_view text) {
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    bytes_.push_back(0);
  }
  void attribute(std::string_view name, std::string_view type, std::span<const uint8_t> value) {
    string(name);
    string(type);
    u32(static_cast<uint32_t>(value.size()));
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

struct Box {
  int32_t x0 = 0, y0 = 0, x1 = -1, y1 = -1;
  bool operator==(const Box&) const = default;
  std::string text() const {
    return "(" + std::to_string(x0) + "," + std::to_string(y0) + ")-(" + std::to_string(x1) + "," + std::to_string(y1) +
           ")";
  }
};

bool read_box(std::span<const uint8_t> part, Box& box) {
  Cursor cursor(part);
  return part.size() == 16 && cursor.i32(box.x0) && cursor.i32(box.y0) && cursor.i32(box.x1) && cursor.i32(box.y1);
}

struct Attributes {
  std::optional<Box> data_window, display_window;
  std::optional<uint8_t> compression, line_order;
  std::optional<std::span<const uint8_t>> channels;
};

Error damaged(const std::string& name, std::string what) {
  Error error = input_error(name, "damaged OpenEXR file", "Write the file again");
  error.found = std::move(what);
  return error;
}

Status read_attributes(Cursor& cursor, const std::string& name, Attributes& out) {
  for (;;) {
    std::string key, type;
    if (!cursor.string(key)) return damaged(name, "a header that does not end");
    if (key.empty()) return {};
    int32_t size = 0;
    std::span<const uint8_t> value;
    if (!cursor.string(type) || !cursor.i32(size)) return damaged(name, "a header that does not end");
    if (size < 0 || !cursor.take(static_cast<size_t>(size), value))
      return damaged(name, "attribute '" + key + "' of " + std::to_string(size) + " bytes, more than the file holds");
    const bool twice = (key == "dataWindow" && out.data_window) || (key == "displayWindow" && out.display_window) ||
                       (key == "compression" && out.compression) || (key == "channels" && out.channels) ||
                       (key == "lineOrder" && out.line_order);
    if (twice) return damaged(name, "attribute '" + key + "' twice");
    if (key == "dataWindow" || key == "displayWindow") {
      Box box;
      if (type != "box2i" || !read_box(value, box)) return damaged(name, "attribute '" + key + "' that is no box2i");
      (key == "dataWindow" ? out.data_window : out.display_window) = box;
    } else if (key == "compression" || key == "lineOrder") {
      if (value.size() != 1) return damaged(name, "attribute '" + key + "' of " + std::to_string(size) + " bytes");
      (key == "compression" ? out.compression : out.line_order) = value[0];
    } else if (key == "channels") {
      out.channels = value;
    }
  }
}

Status read_channels(std::span<const uint8_t> list, const std::string& name, ExrInfo& info) {
  Cursor cursor(list);
  for (;;) {
    ExrChannel channel;
    if (!cursor.string(channel.name)) return damaged(name, "a channel list that does not end");
    if (channel.name.empty()) return {};
    if (info.find(channel.name) != nullptr) return damaged(name, "channel '" + channel.name + "' twice");
    uint32_t type = 0, flags = 0, x_sampling = 0, y_sampling = 0;
    if (!cursor.u32(type) || !cursor.u32(flags) || !cursor.u32(x_sampling) || !cursor.u32(y_sampling))
      return damaged(name, "a channel list that does not end");
    if (type > 2) return damaged(name, "channel '" + channel.name + "' of unknown type " + std::to_string(type));
    if (x_sampling != 1 || y_sampling != 1) {
      Error error = input_error(name, "subsampled channel '" + channel.name + "' is not supported",
                                "Write every channel at full resolution (RGB, not luminance and chroma)");
      error.found = "sampling " + std::to_string(x_sampling) + "," + std::to_string(y_sampling);
      error.expected = "1,1";
      return error;
    }
    channel.type = static_cast<SampleType>(type);
    channel.linear = (flags & 0xff) != 0;
    info.channels.push_back(std::move(channel));
    if (info.channels.size() > kMaxChannels) {
      Error error = input_error(name, "too many channels", "Write only the channels that are needed");
      error.expected = "at most " + std::to_string(kMaxChannels);
      return error;
    }
  }
}

Status check_windows(const Attributes& attributes, const std::string& name, ExrInfo& info) {
  const Box& data = *attributes.data_window;
  const int64_t width = int64_t{data.x1} - data.x0 + 1, height = int64_t{data.y1} - data.y0 + 1;
  if (width < 1 || height < 1 || width > kMaxImageSide || height > kMaxImageSide || width * height > kMaxImagePixels) {
    Error error = input_error(name, "illegal image size", "Write the file again, or choose a smaller picture");
    error.found = std::to_string(width) + "x" + std::to_string(height);
    error.expected = "1 to " + std::to_string(kMaxImageSide) + " a side, at most " + std::to_string(kMaxImagePixels) +
                     " pixels in all";
    return error;
  }
  if (data.x0 != 0 || data.y0 != 0 || data != *attributes.display_window) {
    Error error = input_error(name, "data window and display window differ, or do not start at 0,0",
                              "Write the whole frame, without crop or overscan");
    error.found = "data " + data.text() + ", display " + attributes.display_window->text();
    error.expected = "both (0,0)-(" + std::to_string(width - 1) + "," + std::to_string(height - 1) + ")";
    return error;
  }
  info.size = {static_cast<int>(width), static_cast<int>(height)};
  return {};
}

Status check_length(const Attributes& attributes, const std::string& name, const ExrInfo& info, uint64_t file_bytes,
                    uint64_t bytes_left) {
  if (*attributes.compression >= kLinesPerChunk.size()) {
    Error error = input_error(name, "unknown OpenEXR compression", "Write the file with ZIP compression");
    error.found = "number " + std::to_string(*attributes.compression);
    return error;
  }
  const uint64_t lines = static_cast<uint64_t>(kLinesPerChunk[*attributes.compression]);
  const uint64_t chunks = (static_cast<uint64_t>(info.size.height) + lines - 1) / lines;
  // Each chunk has eight bytes in the table and eight more at its head.
  if (bytes_left < chunks * 16) {
    Error error = input_error(name, "truncated OpenEXR file", "Write the file again");
    error.found = std::to_string(bytes_left) + " bytes after the header";
    error.expected = "at least " + std::to_string(chunks * 16);
    return error;
  }
  uint64_t pixel_bytes = 0;
  for (const ExrChannel& channel : info.channels) pixel_bytes += channel.type == SampleType::kHalf ? 2 : 4;
  const uint64_t claimed = pixel_bytes * static_cast<uint64_t>(info.size.pixels());
  if (claimed > kBudgetFloor + kBudgetRatio * file_bytes) {
    Error error = input_error(name, "OpenEXR file claims more pixels than its length can hold", "Write the file again");
    error.found = std::to_string(claimed) + " bytes of pixels in a file of " + std::to_string(file_bytes);
    return error;
  }
  return {};
}

}  // namespace

const ExrChannel* ExrInfo::find(std::string_view name) const {
  const auto found = std::find_if(channels.begin(), channels.end(), [&](const auto& c) { return c.name == name; });
  return found == channels.end() ? nullptr : &*found;
}

Result<ExrInfo> scan_exr_header(std::span<const uint8_t> bytes, const std::string& name) {
  Cursor cursor(bytes);
  uint32_t magic = 0, version = 0;
  if (!cursor.u32(magic) || magic != kMagic) {
    Error error =
        input_error(name, "not an OpenEXR file", "Give a file written as OpenEXR (half or float, scan lines)");
    error.found = bytes.empty() ? "an empty file" : "other first bytes";
    return error;
  }
  if (!cursor.u32(version)) return damaged(name, "a header that does not end");
  const char* kind = (version & 0xff) != 2      ? "a newer format version"
                     : version & kFlagMultipart ? "several parts"
                     : version & kFlagDeep      ? "deep pixels"
                     : version & kFlagTiled     ? "tiles"
                                                : nullptr;
  if (kind != nullptr) {
    Error error =
        input_error(name, "this kind of OpenEXR file is not supported", "Write it as one flat scan-line part");
    error.found = kind;
    error.expected = "one part of scan lines";
    return error;
  }
  Attributes attributes;
  WW_TRY(read_attributes(cursor, name, attributes));
  if (!attributes.data_window || !attributes.display_window || !attributes.channels || !attributes.compression)
    return damaged(name, "a header without dataWindow, displayWindow, channels or compression");
  ExrInfo info;
  WW_TRY(check_windows(attributes, name, info));
  WW_TRY(read_channels(*attributes.channels, name, info));
  info.compression = *attributes.compression;
  info.line_order = attributes.line_order.value_or(0);
  if (info.line_order > 1) return damaged(name, "line order " + std::to_string(info.line_order) + " of scan lines");
  info.header_bytes = cursor.position();
  WW_TRY(check_length(attributes, name, info, bytes.size(), cursor.left()));
  return info;
}

std::vector<uint8_t> plain_exr_header(const ExrInfo& info) {
  HeaderWriter channels;
  for (const ExrChannel& channel : info.channels) {
    channels.string(channel.name);
    for (const uint32_t word : {static_cast<uint32_t>(channel.type), static_cast<uint32_t>(channel.linear), 1u, 1u})
      channels.u32(word);
  }
  channels.string("");
  HeaderWriter window;
  for (const int corner : {0, 0, info.size.width - 1, info.size.height - 1}) window.u32(static_cast<uint32_t>(corner));
  HeaderWriter one, origin;
  one.u32(std::bit_cast<uint32_t>(1.0f));
  origin.u32(0);
  origin.u32(0);
  HeaderWriter header;
  header.u32(kMagic);
  header.u32(2);
  header.attribute("channels", "chlist", channels.bytes());
  header.attribute("compression", "compression", {&info.compression, 1});
  header.attribute("dataWindow", "box2i", window.bytes());
  header.attribute("displayWindow", "box2i", window.bytes());
  header.attribute("lineOrder", "lineOrder", {&info.line_order, 1});
  header.attribute("pixelAspectRatio", "float", one.bytes());
  header.attribute("screenWindowCenter", "v2f", origin.bytes());
  header.attribute("screenWindowWidth", "float", one.bytes());
  header.string("");
  return header.bytes();
}

}  // namespace ww::frame
