// Classes with virtual functions, templates, f64, and warp shuffles written as PTX.
struct Shape {
  __device__ virtual double area() const = 0;
  __device__ virtual float weight(float density) const { return static_cast<float>(area()) * density; }
};

struct Disc : Shape {
  double radius;
  __device__ explicit Disc(double r) : radius(r) {}
  __device__ double area() const override { return 3.141592653589793 * radius * radius; }
};

struct Box : Shape {
  double width, height;
  __device__ Box(double w, double h) : width(w), height(h) {}
  __device__ double area() const override { return width * height; }
  __device__ float weight(float density) const override { return Shape::weight(density) + 0.5f; }
};

struct Ring : Disc {
  double inner;
  __device__ Ring(double r, double i) : Disc(r), inner(i) {}
  __device__ double area() const override { return Disc::area() - 3.141592653589793 * inner * inner; }
};

template <class T>
__device__ T shuffle_down(T value, unsigned delta);
template <>
__device__ float shuffle_down(float value, unsigned delta) {
  float d;
  asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=f"(d) : "f"(value), "r"(delta));
  return d;
}
template <>
__device__ double shuffle_down(double value, unsigned delta) {
  double d;
  asm volatile(
      "{\n\t.reg .b32 lo, hi;\n\tmov.b64 {lo, hi}, %1;\n\tshfl.sync.down.b32 lo, lo, %2, 0x1f, 0xffffffff;\n\t"
      "shfl.sync.down.b32 hi, hi, %2, 0x1f, 0xffffffff;\n\tmov.b64 %0, {lo, hi};\n\t}"
      : "=d"(d)
      : "d"(value), "r"(delta));
  return d;
}
template <class T>
__device__ T warp_sum(T value) {
  for (unsigned delta = 16; delta > 0; delta >>= 1) value += shuffle_down(value, delta);
  return value;
}

// sizes: two a shape. areas: one a shape, then one sum a warp; weights: one sum a warp. A multiple of 32 threads.
extern "C" __global__ void measure(const float* sizes, double* areas, double* area_sums, float* weight_sums,
                                   float density) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const double a = sizes[2 * i];
  const double b = sizes[2 * i + 1];
  Disc disc(a);
  Box box(a, b);
  Ring ring(a + b, b);
  const Shape* shape = &disc;
  if (i % 3 == 1) shape = &box;
  if (i % 3 == 2) shape = &ring;
  const double area = shape->area();
  areas[i] = area;
  const double area_sum = warp_sum(area);
  const float weight_sum = warp_sum(shape->weight(density));
  if (threadIdx.x % 32 == 0) {
    area_sums[i / 32] = area_sum;
    weight_sums[i / 32] = weight_sum;
  }
}
