// Classes with virtual functions, two bases and a virtual destructor's worth of indirection; pointers to members; a visitor.
#include "device.h"

class Shape {
 public:
  virtual __device__ float area() const = 0;
  virtual __device__ u32 corners() const { return 0; }
};
class Named {
 public:
  explicit __device__ Named(u32 name) : name_(name) {}
  virtual __device__ u32 name() const { return name_; }

 protected:
  u32 name_;
};
class Circle : public Shape {
 public:
  explicit __device__ Circle(float r) : r_(r) {}
  __device__ float area() const override { return 3.14159274f * r_ * r_; }

 private:
  float r_;
};
class Rectangle : public Shape, public Named {
 public:
  __device__ Rectangle(float a, float b, u32 name) : Named(name), a_(a), b_(b) {}
  __device__ float area() const override { return a_ * b_; }
  __device__ u32 corners() const override { return 4; }
  __device__ u32 name() const override { return name_ * 2 + corners(); }

 private:
  float a_, b_;
};
class Square final : public Rectangle {
 public:
  __device__ Square(float a, u32 name) : Rectangle(a, a, name) {}
  __device__ u32 corners() const override { return 44; }
};

static __device__ __noinline__ float measure(const Shape* const* shapes, u32 n) {
  float sum = 0;
  for (u32 i = 0; i < n; ++i) sum = sum * 0.5f + shapes[i]->area() + static_cast<float>(shapes[i]->corners());
  return sum;
}
static __device__ __noinline__ u32 call_name(const Named& named) { return named.name(); }

struct Counter {
  u32 value;
  __device__ u32 up(u32 by) { return value += by; }
  __device__ u32 down(u32 by) { return value -= by * 3; }
  __device__ u32 turn(u32 by) { return value = value << (by & 31) | value >> (-by & 31); }
};

extern "C" __global__ void shapes(const u32* in, u32* out, u32 rounds) {
  const u32 word = in[global_x()];
  Circle circle(unit(word) + 1.0f);
  Rectangle rectangle(unit(word << 4) + 1.0f, 2.0f, word & 15);
  Square square(unit(word << 8), word >> 4 & 15);
  const Shape* all[5];
  for (u32 i = 0; i < 5; ++i) {
    const u32 kind = word >> (2 * i) & 3;
    if (kind == 0)
      all[i] = &circle;
    else if (kind == 1)
      all[i] = &rectangle;
    else
      all[i] = &square;
  }
  const Named* named = &rectangle;
  if (word & 0x10000) named = &square;
  u32 (Counter::*const member[3])(u32) = {&Counter::up, &Counter::down, &Counter::turn};
  Counter counter = {word};
  for (u32 i = 0; i < rounds; ++i) (counter.*member[(word >> i) % 3])(i + 1);
  out[2 * global_x()] = bits_of(measure(all, 5));
  out[2 * global_x() + 1] = counter.value ^ call_name(*named);
}
