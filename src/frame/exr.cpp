#include "frame/exr.h"

#include <Imath/half.h>
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfOutputFile.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "base/files.h"
#include "base/mapped_file.h"

namespace ww::frame {
namespace {

constexpr uint64_t kMaxFileBytes = uint64_t{1} << 32;

// The plain header first, then what follows the file's own header. Positions are the file's, as in its table of chunks.
class MemoryInput : public Imf::IStream {
 public:
  MemoryInput(std::span<const uint8_t> bytes, const ExrInfo& info, const char* name)
      : Imf::IStream(name), bytes_(bytes), header_(plain_exr_header(info)), position_(info.header_bytes) {}

  bool read(char out[], int count) override {
    const bool in_header = header_position_ < header_.size();
    size_t& position = in_header ? header_position_ : position_;
    const std::span<const uint8_t> bytes = in_header ? std::span<const uint8_t>(header_) : bytes_;
    if (count < 0 || bytes.size() - position < static_cast<size_t>(count))
      throw std::runtime_error("unexpected end of file");
    std::memcpy(out, bytes.data() + position, static_cast<size_t>(count));
    position += static_cast<size_t>(count);
    return position_ < bytes_.size();
  }
  uint64_t tellg() override { return position_; }
  void seekg(uint64_t position) override {
    if (position > bytes_.size()) throw std::runtime_error("a position beyond the end of the file");
    header_position_ = header_.size();
    position_ = position;
  }

 private:
  std::span<const uint8_t> bytes_;
  std::vector<uint8_t> header_;
  size_t header_position_ = 0;
  size_t position_;
};

class MemoryOutput : public Imf::OStream {
 public:
  MemoryOutput() : Imf::OStream("memory") {}

  void write(const char data[], int count) override {
    const size_t end = position_ + static_cast<size_t>(count);
    if (end > bytes_.size()) bytes_.resize(end);
    std::memcpy(bytes_.data() + position_, data, static_cast<size_t>(count));
    position_ = end;
  }
  uint64_t tellp() override { return position_; }
  void seekp(uint64_t position) override { position_ = position; }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
  size_t position_ = 0;
};

std::string channel_list(const ExrInfo& info) {
  std::string text;
  for (const ExrChannel& channel : info.channels) text += (text.empty() ? "" : ", ") + channel.name;
  return text.empty() ? "none" : text;
}

std::string size_text(Size size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

Status check_request(const ExrInfo& info, const std::string& name, const ChannelNames& channels,
                     std::optional<Size> expected) {
  if (expected && info.size != *expected) {
    Error error = input_error(name, "wrong image size", "Write the plane at that size, or correct sequence.json");
    error.found = size_text(info.size);
    error.expected = size_text(*expected);
    return error;
  }
  for (const std::string& wanted : channels) {
    const ExrChannel* channel = info.find(wanted);
    if (channel == nullptr) {
      Error error =
          input_error(name, "channel '" + wanted + "' is missing", "Name the channels as docs/sequence.md does");
      error.found = channel_list(info);
      return error;
    }
    if (channel->type == SampleType::kUint) {
      Error error = input_error(name, "channel '" + wanted + "' has the wrong type", "Write it as half or float");
      error.found = "unsigned integers";
      error.expected = "half or float";
      return error;
    }
  }
  return {};
}

Error library_error(const std::string& name, const char* what) {
  Error error = input_error(name, "damaged OpenEXR file", "Write the file again");
  error.found = what;
  return error;
}

}  // namespace

Result<Image> decode_exr(std::span<const uint8_t> bytes, const std::string& name, const ChannelNames& channels,
                         std::optional<Size> expected) {
  WW_ASSIGN(const ExrInfo info, scan_exr_header(bytes, name));
  WW_TRY(check_request(info, name, channels, expected));
  try {
    Image image(info.size.width, info.size.height, static_cast<int>(channels.size()));
    MemoryInput stream(bytes, info, name.c_str());
    Imf::InputFile file(stream, 0);
    Imf::FrameBuffer frame;
    const size_t x_stride = channels.size() * sizeof(float), y_stride = x_stride * static_cast<size_t>(image.width);
    for (size_t c = 0; c < channels.size(); ++c)
      frame.insert(channels[c],
                   Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(image.data.data() + c), x_stride, y_stride));
    file.setFrameBuffer(frame);
    file.readPixels(0, image.height - 1);
    return image;
  } catch (const std::bad_alloc&) {
    return input_error(name, "not enough memory for " + size_text(info.size) + " pixels", "Choose a smaller picture");
  } catch (const std::exception& exception) {
    return library_error(name, exception.what());
  }
}

Result<Image> read_exr(const std::string& path, const ChannelNames& channels, std::optional<Size> expected) {
  WW_ASSIGN(const std::vector<uint8_t> bytes, read_file(path, kMaxFileBytes));
  return decode_exr(bytes, path, channels, expected);
}

Result<ExrInfo> read_exr_info(const std::string& path) {
  WW_ASSIGN(const MappedFile file, MappedFile::open(path, kMaxFileBytes));
  return scan_exr_header(file.bytes(), path);
}

Status check_exr(const std::string& path, const ChannelNames& channels, Size expected) {
  WW_ASSIGN(const ExrInfo info, read_exr_info(path));
  return check_request(info, path, channels, expected);
}

Status write_exr(const std::string& path, const Image& image, const ChannelNames& channels, SampleType type) {
  try {
    const bool half = type == SampleType::kHalf;
    std::vector<Imath::half> halves;
    if (half) {
      halves.resize(image.data.size());
      std::transform(image.data.begin(), image.data.end(), halves.begin(), [](float value) {
        return Imath::half(std::isfinite(value) ? std::clamp(value, -65504.0f, 65504.0f) : value);
      });
    }
    const char* base =
        half ? reinterpret_cast<const char*>(halves.data()) : reinterpret_cast<const char*>(image.data.data());
    const size_t element = half ? sizeof(Imath::half) : sizeof(float);
    const size_t x_stride = element * channels.size(), y_stride = x_stride * static_cast<size_t>(image.width);
    Imf::Header header(image.width, image.height);
    header.compression() = Imf::ZIP_COMPRESSION;
    Imf::FrameBuffer frame;
    for (size_t c = 0; c < channels.size(); ++c) {
      const Imf::PixelType pixel_type = half ? Imf::HALF : Imf::FLOAT;
      header.channels().insert(channels[c], Imf::Channel(pixel_type));
      frame.insert(channels[c], Imf::Slice(pixel_type, const_cast<char*>(base + c * element), x_stride, y_stride));
    }
    MemoryOutput stream;
    {
      Imf::OutputFile file(stream, header, 0);
      file.setFrameBuffer(frame);
      file.writePixels(image.height);
    }  // the destructor writes the chunk table
    return write_file(path, stream.bytes());
  } catch (const std::exception& exception) {
    Error error = runtime_error("cannot write OpenEXR", "Check the free memory and the disk");
    error.file = path;
    error.found = exception.what();
    return error;
  }
}

}  // namespace ww::frame
