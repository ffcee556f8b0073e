// A stack machine with a large switch, calls that are not inlined, recursion, and arrays in local memory.
__device__ __noinline__ static unsigned gcd(unsigned a, unsigned b) {
  return b == 0 ? a : gcd(b, a % b);
}

__device__ __noinline__ static unsigned long long power(unsigned base, unsigned exponent) {
  if (exponent == 0) return 1;
  const unsigned long long half = power(base, exponent / 2);
  return exponent % 2 == 0 ? half * half : half * half * base;
}

struct Stack {
  int values[16];
  int size;
};

__device__ __noinline__ static void push(Stack* stack, int value) {
  if (stack->size < 16) stack->values[stack->size++] = value;
}

__device__ __noinline__ static int pop(Stack* stack) {
  return stack->size > 0 ? stack->values[--stack->size] : 1;
}

extern "C" __global__ void interpret(const unsigned char* programs, const int* inputs, long long* out, int count,
                                     int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Stack stack;
  stack.size = 0;
  push(&stack, inputs[i]);
  long long result = 0;
  for (int place = 0; place < length; ++place) {
    const int b = pop(&stack);
    const int a = pop(&stack);
    switch (programs[i * length + place] % 12) {
      case 0:
        push(&stack, a + b);
        break;
      case 1:
        push(&stack, a - b);
        push(&stack, b);
        break;
      case 2:
        push(&stack, a * b);
        break;
      case 3:
        push(&stack, a / (b == 0 || b == -1 ? 3 : b));
        break;
      case 4:
        push(&stack, static_cast<int>(gcd(a & 0xffff, b & 0xffff)));
        break;
      case 5:
        result ^= static_cast<long long>(power(a & 0xff, b & 15));
        push(&stack, b);
        break;
      case 6:
        push(&stack, a);
        push(&stack, b);
        push(&stack, a ^ b);
        break;
      case 7:
        push(&stack, a < b ? a : b);
        break;
      case 8:
        push(&stack, a >> (b & 31));
        break;
      case 9:
        push(&stack, static_cast<int>(static_cast<unsigned>(a) >> (b & 31)));
        break;
      case 10:
        result += a;
        push(&stack, b);
        break;
      default:
        push(&stack, ~a);
        push(&stack, -b);
        break;
    }
  }
  out[i] = result * 1000003 + stack.size * 31 + pop(&stack);
}
