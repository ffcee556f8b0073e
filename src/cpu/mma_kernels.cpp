// Matrix steps on f16, for one level of x86-64: this file is compiled three times, with WW_LEVEL naming the namespace.
//
// Vectors run over lanes. Row g of A is spread over the four lanes of g by a shuffle inside of 128 bits; what B gives
// to lane t of every group is the same for all groups, so it lies in memory as 4 values a k, and is loaded into all
// 128-bit parts at once.
#include <immintrin.h>

#include <cstdint>
#include <cstring>
#include <utility>

#include "cpu/mma.h"

namespace ww::cpu::WW_LEVEL {

namespace {

#if defined(__AVX512F__)
constexpr int kWidth = 16;
#elif defined(__AVX2__)
constexpr int kWidth = 8;
#else
constexpr int kWidth = 4;
#endif
constexpr int kVectors = 32 / kWidth;  // a register of the warp

typedef float Floats __attribute__((vector_size(kWidth * 4)));
typedef int32_t Ints __attribute__((vector_size(kWidth * 4)));
typedef uint32_t Words __attribute__((vector_size(kWidth * 4)));

template <typename V>
V load(const void* from) {
  V value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <typename V>
void store(void* to, const V& value) {
  std::memcpy(to, &value, sizeof value);
}

// 4 values in all 128-bit parts.
inline Floats spread4(const float* from) {
#if defined(__AVX512F__)
  return Floats(_mm512_broadcast_f32x4(_mm_load_ps(from)));
#elif defined(__AVX2__)
  return Floats(_mm256_broadcast_ps(reinterpret_cast<const __m128*>(from)));
#else
  return load<Floats>(from);
#endif
}
inline Ints spread4(const int32_t* from) {
  return Ints(spread4(reinterpret_cast<const float*>(from)));
}

// Element t of each 128-bit part in all of that part.
template <int t>
inline Floats within4(Floats v) {
#if defined(__AVX512F__)
  return Floats(_mm512_permute_ps(__m512(v), t * 0x55));
#elif defined(__AVX2__)
  return Floats(_mm256_permute_ps(__m256(v), t * 0x55));
#else
  return Floats(_mm_shuffle_ps(__m128(v), __m128(v), t * 0x55));
#endif
}
template <int t>
inline Ints within4(Ints v) {
  return Ints(within4<t>(Floats(v)));
}

// The low 16 bits of each word, as f16, widened.
inline Floats widen(Words halves) {
#if defined(__AVX512F__)
  return Floats(_mm512_cvtph_ps(_mm512_cvtepi32_epi16(__m512i(halves))));
#elif defined(__AVX2__)
  const __m256i low = _mm256_and_si256(__m256i(halves), _mm256_set1_epi32(0xffff));
  const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(low, low), 0x08);
  return Floats(_mm256_cvtph_ps(_mm256_castsi256_si128(packed)));
#else
  const Words magnitude = halves & 0x7fffu, sign = (halves & 0x8000u) << 16;
  const Words shifted = magnitude << 13;
  const Words scaled = Words(Floats(shifted) * 0x1p112f);
  const Words special = Words(Ints(magnitude) >= 0x7c00);
  return Floats((special & (shifted | 0x7f800000u)) | (~special & scaled) | sign);
#endif
}

// Calls f.template operator()<i>() for i of 0 .. count.
template <int count, typename F>
inline __attribute__((always_inline)) void unroll(F&& f) {
  [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    (f.template operator()<i>(), ...);
  }
  (std::make_integer_sequence<int, count>());
}

// b[k][j][t]: what lane t of each group needs for its column 2 t + j, from a register array in fragment order.
template <typename T>
inline void sort_columns(const T* register_values, int half, T (*sorted)[2][4]) {
  // register_values[4 n + t] is row 2 t + half, column n.
#if defined(__AVX512F__)
  const __m512 low = _mm512_loadu_ps(register_values), high = _mm512_loadu_ps(register_values + 16);
  const __m512i first = _mm512_setr_epi32(0, 8, 16, 24, 4, 12, 20, 28, 1, 9, 17, 25, 5, 13, 21, 29);
  const __m512 t01 = _mm512_permutex2var_ps(low, first, high);
  const __m512 t23 = _mm512_permutex2var_ps(low, _mm512_add_epi32(first, _mm512_set1_epi32(2)), high);
  const auto put = [&](int t, __m256 part) { _mm256_storeu_ps(reinterpret_cast<float*>(sorted[2 * t + half]), part); };
  put(0, _mm512_castps512_ps256(t01));
  put(1, _mm512_extractf32x8_ps(t01, 1));
  put(2, _mm512_castps512_ps256(t23));
  put(3, _mm512_extractf32x8_ps(t23, 1));
#else
  for (int t = 0; t < 4; ++t)
    for (int j = 0; j < 2; ++j)
      for (int column = 0; column < 4; ++column)
        sorted[2 * t + half][j][column] = register_values[4 * (2 * column + j) + t];
#endif
}

// --- fast

// Vectors of C worked on at a time, so that the accumulators stay in registers.
constexpr int kGroup = kVectors < 2 ? kVectors : 2;

template <int k>
inline __attribute__((always_inline)) void multiply_fast(const uint32_t* a, const uint32_t* b, const float* c,
                                                         float* d) {
  alignas(64) float columns[16][2][4];
  for (int r = 0; r < k / 8; ++r)
    for (int half = 0; half < 2; ++half) {
      alignas(64) float wide[32];
      for (int v = 0; v < kVectors; ++v)
        store(wide + v * kWidth, widen(load<Words>(b + 32 * r + v * kWidth) >> uint32_t(16 * half)));
      sort_columns(wide, half, columns + 8 * r);
    }
  for (int first = 0; first < kVectors; first += kGroup) {
    Floats sum[kGroup][4];
    for (int v = 0; v < kGroup; ++v)
      for (int i = 0; i < 4; ++i) sum[v][i] = load<Floats>(c + 32 * i + (first + v) * kWidth);
    for (int r = 0; r < k / 8; ++r) {
      unroll<2>([&]<int half>() __attribute__((always_inline)) {
        Floats rows[kGroup][2];
        for (int v = 0; v < kGroup; ++v)
          for (int low = 0; low < 2; ++low)
            rows[v][low] = widen(load<Words>(a + 32 * (2 * r + low) + (first + v) * kWidth) >> uint32_t(16 * half));
        unroll<4>([&]<int t>() __attribute__((always_inline)) {
          const Floats b0 = spread4(columns[8 * r + 2 * t + half][0]), b1 = spread4(columns[8 * r + 2 * t + half][1]);
          for (int v = 0; v < kGroup; ++v)
            for (int low = 0; low < 2; ++low) {
              const Floats value = within4<t>(rows[v][low]);
              sum[v][2 * low] += value * b0;
              sum[v][2 * low + 1] += value * b1;
            }
        });
      });
    }
    for (int v = 0; v < kGroup; ++v)
      for (int i = 0; i < 4; ++i) store(d + 32 * i + (first + v) * kWidth, sum[v][i]);
  }
}

template <int k>
void fast_f32(const void* a, const void* b, const void* c, void* d, uint32_t) {
  multiply_fast<k>(static_cast<const uint32_t*>(a), static_cast<const uint32_t*>(b), static_cast<const float*>(c),
                   static_cast<float*>(d));
}

inline uint16_t narrow(float value) {
#if defined(__F16C__)
  return uint16_t(_mm_cvtsi128_si32(_mm_cvtps_ph(_mm_set_ss(value), 0)));
#else
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  const uint32_t sign = bits & 0x80000000u, magnitude = bits ^ sign;
  uint32_t result;
  if (magnitude > 0x7f800000u) {
    result = 0x7fff;
  } else if (magnitude >= 0x477ff000u) {
    result = 0x7c00;
  } else if (magnitude < 0x38800000u) {
    float small;
    std::memcpy(&small, &magnitude, 4);
    small += 0.5f;
    std::memcpy(&result, &small, 4);
    result -= 0x3f000000u;
  } else {
    result = (magnitude + 0xc8000fffu + (magnitude >> 13 & 1)) >> 13;
  }
  return uint16_t(result | sign >> 16);
#endif
}

// f16 accumulators: registers 0 and 1 hold the pairs of rows g and g + 8.
template <int k>
void fast_f16(const void* a, const void* b, const void* c_registers, void* d, uint32_t) {
  const auto* c = static_cast<const uint32_t*>(c_registers);
  alignas(64) float wide[128];
  for (int r = 0; r < 2; ++r)
    for (int half = 0; half < 2; ++half)
      for (int v = 0; v < kVectors; ++v)
        store(wide + 32 * (2 * r + half) + v * kWidth,
              widen(load<Words>(c + 32 * r + v * kWidth) >> uint32_t(16 * half)));
  multiply_fast<k>(static_cast<const uint32_t*>(a), static_cast<const uint32_t*>(b), wide, wide);
  for (int r = 0; r < 2; ++r)
    for (int lane = 0; lane < 32; ++lane)
      static_cast<uint32_t*>(d)[32 * r + lane] =
          narrow(wide[64 * r + lane]) | uint32_t(narrow(wide[64 * r + 32 + lane])) << 16;
}

// --- exact

// A number taken apart: magnitude's significand, exponent (far below all others for zero), sign as 0 or -1.
struct Terms {
  Ints significand, exponent, sign;
};

constexpr int kZeroExponent = -4000;

// f16 bits in the low half of each word: significand with 10 fraction bits.
inline Terms take_apart(Words halves) {
  const Ints magnitude = Ints(halves & 0x7fffu), field = magnitude >> 10;
  const Ints normal = field != 0;  // -1 or 0
  Terms terms;
  terms.significand = (magnitude & 0x3ff) | (normal & 0x400);
  const Ints exponent = field - 15 + (~normal & 1);
  const Ints is_zero = terms.significand == 0;
  terms.exponent = (is_zero & kZeroExponent) | (~is_zero & exponent);
  terms.sign = -Ints((halves >> 15) & 1u);
  return terms;
}

inline bool any(Ints mask) {
#if defined(__AVX512F__)
  return _mm512_movepi32_mask(__m512i(mask)) != 0;
#elif defined(__AVX2__)
  return _mm256_movemask_ps(__m256(mask)) != 0;
#else
  return _mm_movemask_ps(__m128(mask)) != 0;
#endif
}

inline Ints largest_of(Ints a, Ints b) {
  return a > b ? a : b;
}

// Right shifts by 0 and more; 31 and more give 0 here.
inline Ints shift_right(Ints value, Ints count) {
#if defined(__AVX2__)
  return Ints(Words(value) >> Words(count > 31 ? Ints{} + 31 : count));
#else
  // Without shifts by a vector: multiply by 2^(31 - count) and keep the upper half of 64 bits.
  const Ints limited = count > 31 ? Ints{} + 31 : count;
  alignas(16) int32_t v[4], n[4];
  store(v, value);
  store(n, limited);
  for (int i = 0; i < 4; ++i) v[i] = int32_t(uint32_t(v[i]) >> n[i]);
  return load<Ints>(v);
#endif
}

inline Ints leading_zeros(Words value) {
#if defined(__AVX512CD__)
  return Ints(_mm512_lzcnt_epi32(__m512i(value)));
#else
  // From the exponent of the value cut to 16 bits, which converts without rounding up.
  const Words high = value >> 16;
  const Ints has_high = Ints(high != 0u);
  const Ints part = Ints((Words(has_high) & high) | (Words(~has_high) & (value & 0xffffu)));
  const Ints exponent = Ints(Words(__builtin_convertvector(part, Floats)) >> 23) - 127;
  return 31 - (exponent + (has_high & 16));
#endif
}

// sum = products + c, cut to 25 bits below the largest exponent; rounded toward zero. Returns false if a number of C's
// vectors left the ordinary range: the model decides then.
template <int k>
bool multiply_exact(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) {
  struct Columns {
    alignas(64) int32_t significand[16][2][4], exponent[16][2][4], sign[16][2][4];
  } columns;
  Ints special = {};
  for (int r = 0; r < k / 8; ++r)
    for (int half = 0; half < 2; ++half) {
      alignas(64) int32_t significand[32], exponent[32], sign[32];
      for (int v = 0; v < kVectors; ++v) {
        const Words halves = load<Words>(b + 32 * r + v * kWidth) >> uint32_t(16 * half);
        special |= Ints((halves & 0x7c00u) == 0x7c00u);
        const Terms terms = take_apart(halves);
        store(significand + v * kWidth, terms.significand);
        store(exponent + v * kWidth, terms.exponent);
        store(sign + v * kWidth, terms.sign);
      }
      sort_columns(reinterpret_cast<float*>(significand), half,
                   reinterpret_cast<float(*)[2][4]>(columns.significand + 8 * r));
      sort_columns(reinterpret_cast<float*>(exponent), half,
                   reinterpret_cast<float(*)[2][4]>(columns.exponent + 8 * r));
      sort_columns(reinterpret_cast<float*>(sign), half, reinterpret_cast<float(*)[2][4]>(columns.sign + 8 * r));
    }
  for (int v = 0; v < kVectors; ++v)
    for (int low = 0; low < 2; ++low) {
      Terms rows[k / 8][2];
      for (int r = 0; r < k / 8; ++r)
        for (int half = 0; half < 2; ++half) {
          const Words halves = load<Words>(a + 32 * (2 * r + low) + v * kWidth) >> uint32_t(16 * half);
          special |= Ints((halves & 0x7c00u) == 0x7c00u);
          rows[r][half] = take_apart(halves);
        }
      for (int j = 0; j < 2; ++j) {
        const Words accumulator = load<Words>(c + 32 * (2 * low + j) + v * kWidth);
        const Ints magnitude = Ints(accumulator & 0x7fffffffu), field = magnitude >> 23, normal = field != 0;
        special |= field == 255;
        const Ints c_significand = (magnitude & 0x7fffff) | (normal & 0x800000);
        const Ints c_zero = c_significand == 0;
        const Ints c_exponent = (c_zero & kZeroExponent) | (~c_zero & (field - 127 + (~normal & 1)));
        Ints largest = c_exponent;
        for (int r = 0; r < k / 8; ++r)
          unroll<2>([&]<int half>() __attribute__((always_inline)) {
            unroll<4>([&]<int t>() __attribute__((always_inline)) {
              largest = largest_of(
                  largest, within4<t>(rows[r][half].exponent) + spread4(columns.exponent[8 * r + 2 * t + half][j]));
            });
          });
        Ints sum = {};
        for (int r = 0; r < k / 8; ++r)
          unroll<2>([&]<int half>() __attribute__((always_inline)) {
            unroll<4>([&]<int t>() __attribute__((always_inline)) {
              const int row = 8 * r + 2 * t + half;
              const Ints exponent = within4<t>(rows[r][half].exponent) + spread4(columns.exponent[row][j]);
              const Ints product = within4<t>(rows[r][half].significand) * spread4(columns.significand[row][j]);
              const Ints cut = shift_right(product << 5, largest - exponent);
              const Ints sign = within4<t>(rows[r][half].sign) ^ spread4(columns.sign[row][j]);
              sum += (cut ^ sign) - sign;
            });
          });
        const Ints c_sign = -Ints((accumulator >> 31) & 1u);
        const Ints c_cut = (shift_right(c_significand << 2, largest - c_exponent) ^ c_sign) - c_sign;
        // The products alone fit 31 bits; with c the magnitude may need 32.
        const Ints total = Ints(Words(sum) + Words(c_cut));
        const Ints overflow = (sum ^ total) & (c_cut ^ total);
        const Ints sign = (overflow < 0 ? sum : total) >> 31;
        const Words size = Words((total ^ sign)) - Words(sign);
        const Ints zeros = leading_zeros(size);
        // 24 bits are kept, which convert without rounding (through the signed half, as there is no unsigned conversion
        // below v4).
        const Ints surplus = zeros < 8 ? 8 - zeros : Ints{};
        const Ints kept = shift_right(Ints(size), surplus);
        const Ints converted = Ints(__builtin_convertvector(kept, Floats));
        const Ints scale = largest - 25 + surplus;
        const Ints is_zero = Ints(size == 0u);
        const Ints exponent = (converted >> 23) + scale;
        special |= ~is_zero & ((exponent < 1) | (exponent > 254));
        const Ints result = (converted + (scale << 23)) | (sign & (Ints{} + int32_t(0x80000000)));
        store(d + 32 * (2 * low + j) + v * kWidth, Ints(~is_zero & result));
      }
    }
  return !any(special);
}

template <int k>
void exact_f32(const void* a, const void* b, const void* c, void* d, uint32_t shape) {
  alignas(64) uint32_t kept[128];  // d may be c, and the model may have to start anew
  std::memcpy(kept, c, sizeof kept);
  if (multiply_exact<k>(static_cast<const uint32_t*>(a), static_cast<const uint32_t*>(b), kept,
                        static_cast<uint32_t*>(d)))
    return;
  mma_by_model(a, b, kept, d, shape);
}

}  // namespace

extern const MmaFunctions kMmaFunctions = {&fast_f32<16>, &fast_f32<8>,   &fast_f16<16>,
                                           &fast_f16<8>,  &exact_f32<16>, &exact_f32<8>};

}  // namespace ww::cpu::WW_LEVEL
