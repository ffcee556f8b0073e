// Lists and trees on the device's heap: nodes are allocated and freed by each thread, blocks share some by pointers in shared memory.
#include "device.h"

#ifdef __clang__
extern "C" __device__ void* malloc(unsigned long);
extern "C" __device__ void free(void*);
#endif

struct Node {
  u32 value;
  Node *left, *right;
};

static __device__ __noinline__ Node* insert(Node* node, u32 value) {
  if (node == nullptr) {
    node = static_cast<Node*>(malloc(sizeof(Node)));
    if (node == nullptr) asm volatile("trap;");
    node->value = value;
    node->left = node->right = nullptr;
  } else if (value < node->value) {
    node->left = insert(node->left, value);
  } else {
    node->right = insert(node->right, value);
  }
  return node;
}

static __device__ __noinline__ u32 fold(Node* node, u32 sum) {
  if (node == nullptr) return sum;
  sum = fold(node->left, sum);
  sum = mixed(sum, node->value);
  sum = fold(node->right, sum);
  free(node);
  return sum;
}

extern "C" __global__ void trees(const u32* in, u32* out, u32 n) {
  __shared__ u32* rows[8];
  Node* tree = nullptr;
  for (u32 i = 0; i < n; ++i) tree = insert(tree, in[(global_x() * 7 + i) & 255] % 100);
  if (thread_x() < 8) rows[thread_x()] = static_cast<u32*>(malloc(threads_x() * sizeof(u32)));
  sync();
  for (u32 row = 0; row < 8; ++row) rows[row][thread_x()] = in[thread_x()] + row;
  sync();
  u32 sum = 0;
  for (u32 row = 0; row < 8; ++row) sum = mixed(sum, rows[row][(thread_x() + row) % threads_x()]);
  sync();
  if (thread_x() < 8) free(rows[thread_x()]);
  free(nullptr);
  out[2 * global_x()] = fold(tree, 1);
  out[2 * global_x() + 1] = sum;
}
