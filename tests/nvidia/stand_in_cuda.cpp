// A stand-in for libcuda.so.1: memory is the host's, and it knows three kernels by name. What it was asked for last can
// be read back through the functions stand_in_*.
//   copy_words(u64 from, u64 to, u32 count): copies words
//   fault(): leaves the context in error, as an illegal address does
// PTX that holds the word REFUSE is refused with a log.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "nvidia/driver_api.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace ww::nvidia;

constexpr CuResult kInvalidValue = 1;
constexpr CuResult kOutOfMemory = 2;
constexpr CuResult kNoPermission = 201;  // CUDA_ERROR_INVALID_CONTEXT: no context is current
constexpr CuResult kInvalidPtx = 218;
constexpr CuResult kNotFound = 500;
constexpr CuResult kIllegalAddress = 700;

struct Array {
  size_t row_bytes, height, depth;
  std::vector<unsigned char> texels;

  explicit Array(const CuArrayDescriptor& d);
};
struct Mipmapped {
  std::vector<Array> levels;
};
struct Function {
  std::string name;
};

int retained = 0;
bool current = false;
CuResult sticky = kCuSuccess;
std::string module_text;
Function functions[3] = {{"copy_words"}, {"fault"}, {"wide"}};
CuTextureDescription last_texture;
int largest_shared = 0;
unsigned launch_shape[7];

CuResult check() {
  return !current ? kNoPermission : sticky;
}

size_t texel_bytes(const CuArrayDescriptor& d) {
  const bool one = d.format == CuArrayFormat::kU8 || d.format == CuArrayFormat::kS8;
  const bool two =
      d.format == CuArrayFormat::kU16 || d.format == CuArrayFormat::kS16 || d.format == CuArrayFormat::kF16;
  return d.channels * (one ? 1 : two ? 2 : 4);
}

Array::Array(const CuArrayDescriptor& d)
    : row_bytes(d.width * texel_bytes(d)),
      height(std::max<size_t>(d.height, 1)),
      depth(std::max<size_t>(d.depth, 1)),
      texels(row_bytes * height * depth) {}

template <class T>
T at(const unsigned char* block, size_t offset) {
  T value;
  std::memcpy(&value, block + offset, sizeof value);
  return value;
}

}  // namespace

EXPORT void stand_in_texture(CuTextureDescription* texture) {
  *texture = last_texture;
}
EXPORT int stand_in_retained() {
  return retained;
}
EXPORT int stand_in_largest_shared() {
  return largest_shared;
}
EXPORT void stand_in_launch(unsigned (*shape)[7]) {
  std::memcpy(shape, launch_shape, sizeof launch_shape);
}

EXPORT CuResult cuInit(unsigned) {
  return std::getenv("STAND_IN_NO_GPU") != nullptr ? kCuNoDevice : kCuSuccess;
}
EXPORT CuResult cuDriverGetVersion(int* version) {
  *version = 12080;
  return kCuSuccess;
}
EXPORT CuResult cuGetErrorName(CuResult error, const char** name) {
  *name = error == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == kOutOfMemory  ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == kInvalidPtx   ? "CUDA_ERROR_INVALID_PTX"
          : error == kCuNoDevice   ? "CUDA_ERROR_NO_DEVICE"
                                   : "CUDA_ERROR_OTHER";
  return kCuSuccess;
}
EXPORT CuResult cuGetErrorString(CuResult error, const char** text) {
  *text = error == kOutOfMemory ? "out of memory" : "it went wrong";
  return kCuSuccess;
}
EXPORT CuResult cuDeviceGetCount(int* count) {
  *count = 2;
  return kCuSuccess;
}
EXPORT CuResult cuDeviceGet(CuDevice* device, int ordinal) {
  *device = 40 + ordinal;
  return ordinal < 2 ? kCuSuccess : kInvalidValue;
}
EXPORT CuResult cuDeviceGetName(char* name, int length, CuDevice device) {
  std::strncpy(name, device == 40 ? "Stand-in A" : "Stand-in B", static_cast<size_t>(length));
  return kCuSuccess;
}
EXPORT CuResult cuDeviceGetAttribute(int* value, int attribute, CuDevice) {
  *value = attribute == 75 ? 9 : attribute == 76 ? 0 : -1;
  return kCuSuccess;
}
EXPORT CuResult cuDevicePrimaryCtxRetain(CuContext* context, CuDevice device) {
  *context = reinterpret_cast<CuContext>(static_cast<size_t>(device));
  ++retained;
  return kCuSuccess;
}
EXPORT CuResult cuDevicePrimaryCtxRelease_v2(CuDevice) {
  if (--retained == 0) sticky = kCuSuccess;  // the context is destroyed with its error
  return kCuSuccess;
}
EXPORT CuResult cuCtxSetCurrent(CuContext context) {
  current = context != nullptr;
  return kCuSuccess;
}
EXPORT CuResult cuCtxSynchronize() {
  return check();
}
EXPORT CuResult cuMemAlloc_v2(CuPointer* address, size_t bytes) {
  if (check() != kCuSuccess) return check();
  if (bytes > size_t{1} << 30) return kOutOfMemory;
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  *address = reinterpret_cast<CuPointer>(memory);
  return kCuSuccess;
}
EXPORT CuResult cuMemFree_v2(CuPointer address) {
  std::free(reinterpret_cast<void*>(address));
  return check();
}
EXPORT CuResult cuMemcpyHtoD_v2(CuPointer destination, const void* source, size_t bytes) {
  if (check() == kCuSuccess) std::memcpy(reinterpret_cast<void*>(destination), source, bytes);
  return check();
}
EXPORT CuResult cuMemcpyDtoH_v2(void* destination, CuPointer source, size_t bytes) {
  if (check() == kCuSuccess) std::memcpy(destination, reinterpret_cast<void*>(source), bytes);
  return check();
}
EXPORT CuResult cuMemsetD8_v2(CuPointer destination, unsigned char value, size_t bytes) {
  if (check() == kCuSuccess) std::memset(reinterpret_cast<void*>(destination), value, bytes);
  return check();
}
EXPORT CuResult cuArray3DCreate_v2(CuArray* array, const CuArrayDescriptor* description) {
  *array = reinterpret_cast<CuArray>(new Array(*description));
  return check();
}
EXPORT CuResult cuArrayDestroy(CuArray array) {
  delete reinterpret_cast<Array*>(array);
  return check();
}
EXPORT CuResult cuMipmappedArrayCreate(CuMipmappedArray* array, const CuArrayDescriptor* description, unsigned levels) {
  auto* made = new Mipmapped;
  CuArrayDescriptor level = *description;
  for (unsigned i = 0; i < levels; ++i) {
    made->levels.emplace_back(level);
    level.width = std::max<size_t>(level.width / 2, 1);
    level.height = std::max<size_t>(level.height / 2, level.height != 0);
    if ((level.flags & kCuArrayLayered) == 0 && (level.flags & kCuArrayCubemap) == 0)
      level.depth = std::max<size_t>(level.depth / 2, level.depth != 0);
  }
  *array = reinterpret_cast<CuMipmappedArray>(made);
  return check();
}
EXPORT CuResult cuMipmappedArrayGetLevel(CuArray* level, CuMipmappedArray array, unsigned index) {
  auto& levels = reinterpret_cast<Mipmapped*>(array)->levels;
  if (index >= levels.size()) return kInvalidValue;
  *level = reinterpret_cast<CuArray>(&levels[index]);
  return check();
}
EXPORT CuResult cuMipmappedArrayDestroy(CuMipmappedArray array) {
  delete reinterpret_cast<Mipmapped*>(array);
  return check();
}
EXPORT CuResult cuMemcpy3D_v2(const CuMemcpy3D* copy) {
  const bool to_array = copy->destination_type == CuMemoryType::kArray;
  auto* array = reinterpret_cast<Array*>(to_array ? copy->destination_array : copy->source_array);
  if (copy->width != array->row_bytes || copy->height != array->height || copy->depth != array->depth)
    return kInvalidValue;
  for (size_t row = 0; row < copy->height * copy->depth; ++row) {
    unsigned char* texels = array->texels.data() + row * array->row_bytes;
    const size_t y = row % copy->height, z = row / copy->height;
    if (to_array)
      std::memcpy(
          texels,
          static_cast<const unsigned char*>(copy->source_host) + (z * copy->source_height + y) * copy->source_pitch,
          copy->width);
    else
      std::memcpy(static_cast<unsigned char*>(copy->destination_host) +
                      (z * copy->destination_height + y) * copy->destination_pitch,
                  texels, copy->width);
  }
  return check();
}
EXPORT CuResult cuTexObjectCreate(CuObject* object, const CuResourceDescription* resource,
                                  const CuTextureDescription* texture, const void*) {
  if (resource->type > kCuResourceMipmappedArray || resource->resource.array == nullptr) return kInvalidValue;
  last_texture = *texture;
  static CuObject next = 1000;
  *object = ++next;
  return check();
}
EXPORT CuResult cuTexObjectDestroy(CuObject) {
  return check();
}
EXPORT CuResult cuSurfObjectCreate(CuObject* object, const CuResourceDescription*) {
  *object = 5000;
  return check();
}
EXPORT CuResult cuSurfObjectDestroy(CuObject) {
  return check();
}
EXPORT CuResult cuModuleLoadDataEx(CuModule* module, const void* image, unsigned options, int* keys, void** values) {
  module_text = static_cast<const char*>(image);
  if (module_text.find("REFUSE") != std::string::npos) {
    for (unsigned i = 0; i < options; ++i)
      if (keys[i] == 5) std::strcpy(static_cast<char*>(values[i]), "ptxas fatal: refused on request\n");
    return kInvalidPtx;
  }
  *module = reinterpret_cast<CuModule>(&module_text);
  return check();
}
EXPORT CuResult cuModuleUnload(CuModule) {
  return check();
}
EXPORT CuResult cuModuleGetFunction(CuFunction* function, CuModule, const char* name) {
  for (Function& known : functions) {
    if (known.name != name) continue;
    *function = reinterpret_cast<CuFunction>(&known);
    return check();
  }
  return kNotFound;
}
EXPORT CuResult cuModuleGetGlobal_v2(CuPointer* address, size_t* bytes, CuModule, const char* name) {
  if (std::strcmp(name, "table") != 0) return kNotFound;
  *address = 0x1000;
  *bytes = 48;
  return check();
}
EXPORT CuResult cuFuncGetAttribute(int* value, int, CuFunction function) {
  *value = reinterpret_cast<Function*>(function)->name == "wide" ? 40000 : 0;
  return check();
}
EXPORT CuResult cuFuncSetAttribute(CuFunction, int attribute, int value) {
  if (attribute == 8) largest_shared = value;
  return check();
}
// `copy_words` gets its three parameters one by one.
EXPORT CuResult cuLaunchCooperativeKernel(CuFunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                          unsigned by, unsigned bz, unsigned shared, CuStream, void** parameters) {
  if (check() != kCuSuccess) return check();
  const unsigned shape[7] = {gx, gy, gz, bx, by, bz, shared};
  std::memcpy(launch_shape, shape, sizeof shape);
  if (reinterpret_cast<Function*>(function)->name != "copy_words" || parameters == nullptr) return kInvalidValue;
  std::memcpy(*static_cast<void**>(parameters[1]), *static_cast<void**>(parameters[0]),
              size_t{4} * *static_cast<unsigned*>(parameters[2]));
  return kCuSuccess;
}
EXPORT CuResult cuLaunchKernel(CuFunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                               unsigned bz, unsigned shared, CuStream, void** parameters, void** extra) {
  if (check() != kCuSuccess) return check();
  const unsigned shape[7] = {gx, gy, gz, bx, by, bz, shared};
  std::memcpy(launch_shape, shape, sizeof shape);
  const std::string& name = reinterpret_cast<Function*>(function)->name;
  if (name == "fault") sticky = kIllegalAddress;
  if (name != "copy_words") return kCuSuccess;
  if (parameters != nullptr || extra == nullptr || extra[0] != kCuLaunchParamBufferPointer ||
      extra[2] != kCuLaunchParamBufferSize || extra[4] != kCuLaunchParamEnd || *static_cast<size_t*>(extra[3]) != 20)
    return kInvalidValue;
  const auto* block = static_cast<const unsigned char*>(extra[1]);
  std::memcpy(reinterpret_cast<void*>(at<CuPointer>(block, 8)), reinterpret_cast<void*>(at<CuPointer>(block, 0)),
              size_t{4} * at<unsigned>(block, 16));
  return kCuSuccess;
}
