// What compiled code and the runtime share: the state of one running warp.
//
// Compiled code reads the fields by their offsets, so the struct stays plain. One WarpContext a warp; it lives on the
// stack of the worker thread that runs the block.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ww::cpu {

class BlockRun;
class DeviceHeap;

constexpr unsigned kRankShift = 24;  // of a block's rank in a shared address

struct WarpContext {
  // Shared memory of the cluster; shared addresses are offsets into it. That of the block of rank r begins at
  // r << kRankShift.
  std::byte* shared = nullptr;
  std::byte* local_window = nullptr;  // local addresses are 32-bit offsets from here; below 2 GiB, see scheduler.cpp
  std::byte* stack_begin = nullptr;   // of the stack that the warp runs on: where its local memory is
  std::byte* stack_end = nullptr;
  std::byte* sink = nullptr;  // 64 bytes that stores of inactive lanes may hit
  uint32_t ctaid[3] = {};
  uint32_t nctaid[3] = {};
  uint32_t ntid[3] = {};
  uint32_t first_thread = 0;  // linear thread number of lane 0
  uint32_t mask = 0;          // lanes that exist
  uint32_t warp = 0;          // in its block
  uint32_t warps = 0;         // of the block
  uint32_t worker = 0;        // number of the thread that runs it: the multiprocessor's number, to PTX
  uint32_t workers = 0;
  uint32_t dynamic_shared = 0;  // bytes
  uint32_t total_shared = 0;    // bytes
  uint32_t own_shared = 0;      // where the block's own shared memory begins
  uint32_t clusterid[3] = {}, nclusterid[3] = {};
  uint32_t cluster_ctaid[3] = {}, cluster_nctaid[3] = {1, 1, 1};
  uint32_t cluster_rank = 0, cluster_size = 1;
  uint64_t parameters = 0;  // address of the kernel's parameters
  uint32_t parameter_bytes = 0;
  uint32_t line = 0;       // PTX line of the runtime call in progress
  uint64_t grid = 0;       // number of the launch
  uint64_t workspace = 0;  // address of a cooperative grid's workspace; 0: not one
  BlockRun* block = nullptr;
  DeviceHeap* heap = nullptr;
  // Where alloca takes each lane's memory: local address of lane 0's, bytes of each lane, and of those the ones in use.
  uint32_t lane_stacks = 0, lane_stack_bytes = 0;
  uint32_t lane_stack_used[32] = {};
};

// A compiled kernel: runs one warp from start to end.
using WarpKernel = void (*)(WarpContext* context, const void* parameters);

// A runtime function that compiled code calls for a whole warp. `in` holds the arguments, `out` the results: each is an
// array of 32 elements, one a lane (i1 as a byte, half as 16 bits), each array at the next multiple of 64 bytes.
// `mask`: active lanes.
using WarpFunction = void (*)(WarpContext* context, uint32_t mask, const void* in, void* out);

// Brings lanes together that run by themselves (mask: one bit): waits for those of the member mask at `members_at` in
// `in` (kAllMembers: the whole warp) that come with the same function, then runs it for all of them; null: only waits.
// `layout`: bytes of an element of each array in `in`, 0, of each in `out`, 0.
using MeetFunction = void (*)(WarpContext* context, uint32_t mask, const void* in, void* out, WarpFunction function,
                              const uint8_t* layout, uint32_t members_at);
constexpr uint32_t kAllMembers = ~0u;
constexpr size_t kMostMeetingBytes = 8192;  // of the arrays in, and of those out

// A matrix step: the registers of a, of b (of sparse shapes followed by the metadata) and of c as such arrays, and d's;
// d may be c. All lanes take part. `shape`: devicelib's pack_shape.
using MmaFunction = void (*)(const void* a, const void* b, const void* c, void* d, uint32_t shape);

// Bytes from one argument array to the next, for elements of `size` bytes.
constexpr size_t warp_array_bytes(size_t size) {
  return size * 32 < 64 ? 64 : size * 32;
}

}  // namespace ww::cpu
