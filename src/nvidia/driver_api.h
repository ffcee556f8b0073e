// The part of NVIDIA's driver API that the pass-through uses: our own declarations of its types, constants and entry
// points, after the "CUDA Driver API" reference manual. The library itself, libcuda.so.1, is opened at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ww::nvidia {

using CuResult = int;  // 0: success
using CuDevice = int;  // ordinal's handle
using CuPointer = uint64_t;
using CuObject = uint64_t;  // texture or surface object
struct CuContextHandle;
struct CuModuleHandle;
struct CuFunctionHandle;
struct CuArrayHandle;
struct CuMipmappedArrayHandle;
struct CuStreamHandle;
using CuContext = CuContextHandle*;
using CuModule = CuModuleHandle*;
using CuFunction = CuFunctionHandle*;
using CuArray = CuArrayHandle*;
using CuMipmappedArray = CuMipmappedArrayHandle*;
using CuStream = CuStreamHandle*;

constexpr CuResult kCuSuccess = 0;
constexpr CuResult kCuNoDevice = 100;

// CUdevice_attribute
constexpr int kCuComputeCapabilityMajor = 75;
constexpr int kCuComputeCapabilityMinor = 76;
// CUfunction_attribute
constexpr int kCuSharedSizeBytes = 1;
constexpr int kCuMaxDynamicSharedSizeBytes = 8;
// CUjit_option
constexpr int kCuJitErrorLogBuffer = 5;
constexpr int kCuJitErrorLogBufferSizeBytes = 6;
// Words of the `extra` argument of cuLaunchKernel.
inline void* const kCuLaunchParamEnd = nullptr;
inline void* const kCuLaunchParamBufferPointer = reinterpret_cast<void*>(1);
inline void* const kCuLaunchParamBufferSize = reinterpret_cast<void*>(2);

// CUarray_format
enum class CuArrayFormat : unsigned {
  kU8 = 0x01,
  kU16 = 0x02,
  kU32 = 0x03,
  kS8 = 0x08,
  kS16 = 0x09,
  kS32 = 0x0a,
  kF16 = 0x10,
  kF32 = 0x20,
};

// CUDA_ARRAY3D_DESCRIPTOR: height 0 of a 1D array, depth 0 of one that is neither 3D nor layered; a cube has 6 layers.
struct CuArrayDescriptor {
  size_t width, height, depth;
  CuArrayFormat format;
  unsigned channels;
  unsigned flags;
};
constexpr unsigned kCuArrayLayered = 0x01, kCuArraySurfaceLoadStore = 0x02, kCuArrayCubemap = 0x04;

// CUmemorytype
enum class CuMemoryType : unsigned { kHost = 1, kDevice = 2, kArray = 3 };

// CUDA_MEMCPY3D: x, pitch and width in bytes, height in rows.
struct CuMemcpy3D {
  size_t source_x, source_y, source_z, source_level;
  CuMemoryType source_type;
  const void* source_host;
  CuPointer source_device;
  CuArray source_array;
  void* reserved_0;
  size_t source_pitch, source_height;
  size_t destination_x, destination_y, destination_z, destination_level;
  CuMemoryType destination_type;
  void* destination_host;
  CuPointer destination_device;
  CuArray destination_array;
  void* reserved_1;
  size_t destination_pitch, destination_height;
  size_t width, height, depth;
};
static_assert(sizeof(CuMemcpy3D) == 200);

// CUDA_RESOURCE_DESC.
struct CuResourceDescription {
  unsigned type;
  union {
    CuArray array;
    CuMipmappedArray mipmapped;
    int reserved[32];
  } resource;
  unsigned flags;
};
static_assert(sizeof(CuResourceDescription) == 144);
constexpr unsigned kCuResourceArray = 0, kCuResourceMipmappedArray = 1;

// CUDA_TEXTURE_DESC
struct CuTextureDescription {
  unsigned address_mode[3];  // 0 wrap, 1 clamp, 2 mirror, 3 border
  unsigned filter_mode;      // 0 point, 1 linear
  unsigned flags;
  unsigned max_anisotropy;
  unsigned mipmap_filter_mode;
  float mipmap_level_bias, min_mipmap_level, max_mipmap_level;
  float border_color[4];
  int reserved[12];
};
static_assert(sizeof(CuTextureDescription) == 104);
constexpr unsigned kCuTextureReadAsInteger = 0x01;
constexpr unsigned kCuTextureNormalizedCoordinates = 0x02;
constexpr unsigned kCuTextureSrgb = 0x10;
constexpr unsigned kCuTextureSeamlessCube = 0x40;

// name of the member, symbol in the library, parameters. All return CuResult.
#define WW_CU_FUNCTIONS(F)                                                                                           \
  F(init, "cuInit", unsigned flags)                                                                                  \
  F(driver_version, "cuDriverGetVersion", int* version)                                                              \
  F(error_name, "cuGetErrorName", CuResult error, const char** name)                                                 \
  F(error_string, "cuGetErrorString", CuResult error, const char** text)                                             \
  F(device_count, "cuDeviceGetCount", int* count)                                                                    \
  F(device_get, "cuDeviceGet", CuDevice* device, int ordinal)                                                        \
  F(device_name, "cuDeviceGetName", char* name, int length, CuDevice device)                                         \
  F(device_attribute, "cuDeviceGetAttribute", int* value, int attribute, CuDevice device)                            \
  F(context_retain, "cuDevicePrimaryCtxRetain", CuContext* context, CuDevice device)                                 \
  F(context_release, "cuDevicePrimaryCtxRelease_v2", CuDevice device)                                                \
  F(context_set_current, "cuCtxSetCurrent", CuContext context)                                                       \
  F(context_synchronize, "cuCtxSynchronize", )                                                                       \
  F(allocate, "cuMemAlloc_v2", CuPointer* address, size_t bytes)                                                     \
  F(free, "cuMemFree_v2", CuPointer address)                                                                         \
  F(copy_to_device, "cuMemcpyHtoD_v2", CuPointer destination, const void* source, size_t bytes)                      \
  F(copy_to_host, "cuMemcpyDtoH_v2", void* destination, CuPointer source, size_t bytes)                              \
  F(copy_3d, "cuMemcpy3D_v2", const CuMemcpy3D* copy)                                                                \
  F(fill, "cuMemsetD8_v2", CuPointer destination, unsigned char value, size_t bytes)                                 \
  F(array_create, "cuArray3DCreate_v2", CuArray* array, const CuArrayDescriptor* description)                        \
  F(mipmapped_create, "cuMipmappedArrayCreate", CuMipmappedArray* array, const CuArrayDescriptor* description,       \
    unsigned levels)                                                                                                 \
  F(mipmapped_level, "cuMipmappedArrayGetLevel", CuArray* level, CuMipmappedArray array, unsigned index)             \
  F(mipmapped_destroy, "cuMipmappedArrayDestroy", CuMipmappedArray array)                                            \
  F(array_destroy, "cuArrayDestroy", CuArray array)                                                                  \
  F(texture_create, "cuTexObjectCreate", CuObject* object, const CuResourceDescription* resource,                    \
    const CuTextureDescription* texture, const void* view)                                                           \
  F(texture_destroy, "cuTexObjectDestroy", CuObject object)                                                          \
  F(surface_create, "cuSurfObjectCreate", CuObject* object, const CuResourceDescription* resource)                   \
  F(surface_destroy, "cuSurfObjectDestroy", CuObject object)                                                         \
  F(module_load, "cuModuleLoadDataEx", CuModule* module, const void* image, unsigned options, int* keys,             \
    void** values)                                                                                                   \
  F(module_unload, "cuModuleUnload", CuModule module)                                                                \
  F(module_function, "cuModuleGetFunction", CuFunction* function, CuModule module, const char* name)                 \
  F(module_global, "cuModuleGetGlobal_v2", CuPointer* address, size_t* bytes, CuModule module, const char* name)     \
  F(function_attribute, "cuFuncGetAttribute", int* value, int attribute, CuFunction function)                        \
  F(function_set_attribute, "cuFuncSetAttribute", CuFunction function, int attribute, int value)                     \
  F(launch, "cuLaunchKernel", CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,                \
    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CuStream stream, void** parameters, \
    void** extra)                                                                                                    \
  F(launch_cooperative, "cuLaunchCooperativeKernel", CuFunction function, unsigned grid_x, unsigned grid_y,          \
    unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CuStream stream,   \
    void** parameters)

}  // namespace ww::nvidia
