// An interpreter of a small stack machine with a switch of many cases, jumps and calls; programs are random but always end.
#include "device.h"

struct Machine {
  s32 stack[16];
  u32 top;
  __device__ void push(s32 x) { stack[top++ & 15] = x; }
  __device__ s32 pop() { return stack[--top & 15]; }
};

extern "C" __global__ void interpret(const u8* programs, s32* out, u32 length) {
  const u32 i = global_x();
  const u8* program = programs + (i & 31) * length;
  Machine m;
  m.top = 8;
  for (s32 k = 0; k < 16; ++k) m.stack[k] = k + static_cast<s32>(i);
  u32 at = 0, budget = 200;
  while (at < length && budget-- != 0) {
    const u8 code = program[at++];
    switch (code & 31) {
      case 0: m.push(code); break;
      case 1: m.push(m.pop() + m.pop()); break;
      case 2: m.push(m.pop() - m.pop()); break;
      case 3: m.push(m.pop() * m.pop()); break;
      case 4: {
        const s32 a = m.pop(), b = m.pop();
        m.push(b == 0 || (a == static_cast<s32>(0x80000000) && b == -1) ? a : a / b);
        break;
      }
      case 5: m.push(m.pop() & m.pop()); break;
      case 6: m.push(m.pop() | m.pop()); break;
      case 7: m.push(m.pop() ^ m.pop()); break;
      case 8: m.push(~m.pop()); break;
      case 9: {
        const s32 a = m.pop();
        m.push(a);
        m.push(a);
        break;
      }
      case 10: m.push(static_cast<s32>(static_cast<u32>(m.pop()) << (code >> 5))); break;
      case 11: m.push(m.pop() >> (code >> 5)); break;
      case 12:
        if (m.pop() > 0) at += code >> 5;
        break;
      case 13:
        if (at > static_cast<u32>(code >> 5) + 1 && m.pop() < 0) at -= (code >> 5) + 1;
        break;
      case 14: m.pop(); break;
      case 15: m.push(m.stack[code >> 5]); break;
      case 16: m.stack[code >> 5] = m.pop(); break;
      case 17: m.push(static_cast<s32>(i) - 40); break;
      case 18: {
        const s32 a = m.pop(), b = m.pop();
        m.push(b == 0 || (a == static_cast<s32>(0x80000000) && b == -1) ? a : a % b);
        break;
      }
      case 19: m.push(m.pop() < m.pop()); break;
      default: m.push(static_cast<s32>(mixed(code, static_cast<u32>(m.pop())))); break;
    }
  }
  s32 sum = static_cast<s32>(budget);
  for (u32 k = 0; k < 16; ++k) sum = sum * 31 + m.stack[k];
  out[2 * i] = sum;
  out[2 * i + 1] = static_cast<s32>(at | (m.top & 255) << 16);
}
