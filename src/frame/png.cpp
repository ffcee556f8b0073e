#include "frame/png.h"

#include <png.h>

#include <cmath>
#include <csetjmp>
#include <cstring>
#include <vector>

#include "base/files.h"

namespace ww::frame {
namespace {

// libpng reports by longjmp, which skips destructors: functions below that may jump hold plain data only.
struct Source {
  const uint8_t* bytes;
  size_t size;
  size_t position;
};

struct Report {
  char text[256];
};

void on_error(png_structp png, png_const_charp message) {
  auto* report = static_cast<Report*>(png_get_error_ptr(png));
  std::strncpy(report->text, message, sizeof report->text - 1);
  longjmp(png_jmpbuf(png), 1);
}

void on_warning(png_structp, png_const_charp) {}

void on_read(png_structp png, png_bytep out, size_t count) {
  auto* source = static_cast<Source*>(png_get_io_ptr(png));
  if (source->size - source->position < count) png_error(png, "unexpected end of file");
  std::memcpy(out, source->bytes + source->position, count);
  source->position += count;
}

struct Reader {
  png_structp png = nullptr;
  png_infop info = nullptr;
  Source source{};
  Report report{};

  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
};

// Header and conversions; afterwards rows are RGB of 8 or 16 bits. False: `reader.report` says why.
bool start(Reader& reader) {
  if (setjmp(png_jmpbuf(reader.png))) return false;
  png_set_user_limits(reader.png, kMaxImageSide, kMaxImageSide);
  png_set_chunk_malloc_max(reader.png, 8u << 20);
  png_set_chunk_cache_max(reader.png, 128);
  png_set_read_fn(reader.png, &reader.source, on_read);
  png_read_info(reader.png, reader.info);
  png_set_expand(reader.png);  // palette and low bit depths, transparency to alpha
  png_set_strip_alpha(reader.png);
  png_set_gray_to_rgb(reader.png);
  png_set_swap(reader.png);  // 16-bit samples in host order
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  return true;
}

bool read_rows(Reader& reader, png_bytepp rows) {
  if (setjmp(png_jmpbuf(reader.png))) return false;
  png_read_image(reader.png, rows);
  png_read_end(reader.png, nullptr);
  return true;
}

Error damaged(const std::string& name, const Report& report) {
  Error error = input_error(name, "damaged PNG file", "Write the file again");
  error.found = report.text;
  return error;
}

std::string size_text(Size size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

struct Sink {
  std::vector<uint8_t> bytes;
};

void on_write(png_structp png, png_bytep data, size_t count) {
  auto* sink = static_cast<Sink*>(png_get_io_ptr(png));
  sink->bytes.insert(sink->bytes.end(), data, data + count);
}

void on_flush(png_structp) {}

bool write_rows(png_structp png, png_infop info, Sink* sink, Size size, int channels, int bits, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_write_fn(png, sink, on_write, on_flush);
  png_set_IHDR(png, info, static_cast<png_uint_32>(size.width), static_cast<png_uint_32>(size.height), bits,
               channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_set_compression_level(png, 6);
  png_write_info(png, info);
  if (bits == 16) png_set_swap(png);
  png_write_image(png, rows);
  png_write_end(png, info);
  return true;
}

}  // namespace

Result<Image> decode_png(std::span<const uint8_t> bytes, const std::string& name, std::optional<Size> expected) {
  if (bytes.size() < 8 || png_sig_cmp(bytes.data(), 0, 8) != 0) {
    Error error = input_error(name, "not a PNG file", "Give a picture written as PNG");
    error.found = bytes.empty() ? "an empty file" : "other first bytes";
    return error;
  }
  Reader reader;
  reader.source = {bytes.data(), bytes.size(), 0};
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader.report, on_error, on_warning);
  reader.info = reader.png != nullptr ? png_create_info_struct(reader.png) : nullptr;
  if (reader.info == nullptr) return runtime_error("not enough memory for PNG");
  if (!start(reader)) return damaged(name, reader.report);
  const Size size{static_cast<int>(png_get_image_width(reader.png, reader.info)),
                  static_cast<int>(png_get_image_height(reader.png, reader.info))};
  if (expected && size != *expected) {
    Error error = input_error(name, "wrong image size", "Write the plane at that size, or correct sequence.json");
    error.found = size_text(size);
    error.expected = size_text(*expected);
    return error;
  }
  const size_t row_bytes = png_get_rowbytes(reader.png, reader.info);
  const uint64_t total = uint64_t{row_bytes} * static_cast<uint64_t>(size.height);
  // deflate packs no better than about 1:1032
  if (size.pixels() > kMaxImagePixels || total > (uint64_t{64} << 20) + 1100 * uint64_t{bytes.size()}) {
    Error error = input_error(name, "PNG file claims more pixels than its length can hold", "Write the file again");
    error.found = size_text(size) + " in " + std::to_string(bytes.size()) + " bytes";
    return error;
  }
  const bool wide = png_get_bit_depth(reader.png, reader.info) == 16;
  if (row_bytes != static_cast<size_t>(size.width) * (wide ? 6 : 3)) return damaged(name, reader.report);
  std::vector<uint8_t> pixels(total);
  std::vector<png_bytep> rows(static_cast<size_t>(size.height));
  for (size_t y = 0; y < rows.size(); ++y) rows[y] = pixels.data() + y * row_bytes;
  if (!read_rows(reader, rows.data())) return damaged(name, reader.report);
  Image image(size.width, size.height, 3);
  for (size_t i = 0; i < image.data.size(); ++i) {
    uint16_t sample = 0;
    if (wide) std::memcpy(&sample, pixels.data() + 2 * i, 2);
    image.data[i] = wide ? static_cast<float>(sample) / 65535.0f : static_cast<float>(pixels[i]) / 255.0f;
  }
  return image;
}

Result<Image> read_png(const std::string& path, std::optional<Size> expected) {
  WW_ASSIGN(const std::vector<uint8_t> bytes, read_file(path));
  return decode_png(bytes, path, expected);
}

Status write_png(const std::string& path, const Image& image, int bits) {
  const float steps = bits == 16 ? 65535.0f : 255.0f;
  const size_t sample_bytes = bits == 16 ? 2 : 1;
  std::vector<uint8_t> pixels(image.data.size() * sample_bytes);
  for (size_t i = 0; i < image.data.size(); ++i) {
    const float value = image.data[i];
    const float clamped = value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;  // NaN: 0
    const auto sample = static_cast<uint16_t>(std::lround(clamped * steps));
    if (bits == 16)
      std::memcpy(pixels.data() + 2 * i, &sample, 2);
    else
      pixels[i] = static_cast<uint8_t>(sample);
  }
  const size_t row_bytes = static_cast<size_t>(image.width) * static_cast<size_t>(image.channels) * sample_bytes;
  std::vector<png_bytep> rows(static_cast<size_t>(image.height));
  for (size_t y = 0; y < rows.size(); ++y) rows[y] = pixels.data() + y * row_bytes;

  Sink sink;
  Report report{};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &report, on_error, on_warning);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  const bool done = info != nullptr && write_rows(png, info, &sink, image.size(), image.channels, bits, rows.data());
  png_destroy_write_struct(&png, &info);
  if (!done) {
    Error error = runtime_error("cannot write PNG", "Check the free memory");
    error.file = path;
    error.found = report.text;
    return error;
  }
  return write_file(path, sink.bytes);
}

}  // namespace ww::frame
