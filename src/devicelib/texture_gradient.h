// The level of detail that gradients ask for. Private to the texture functions of devicelib.
#pragma once

#include "devicelib/texture.h"

namespace ww::devicelib {

// In 256ths of a level, without the sampler's bias; far below 0 if nothing changes, far above any level if it changes
// without bound.
//
// How an H200 does it, bit for bit (found from two million of its answers): lengths in texels have ten significant
// bits, cut toward zero. A gradient's length is its largest part, 11/32 of the next and a quarter of the smallest. The
// level is that of the longest of both gradients and, times 11/16, of their sum and difference; its logarithm is of
// eight bits of fraction. Gradients of 3D images and cubes (and of all, with a depth to compare with) are differences
// of the places that are meant, in f32; places on two faces of a cube that share an edge are as far apart as on the
// unfolded cube (then sum and difference do not count), on opposite faces without bound. A coordinate of 2^97 or more
// in a 3D image is beyond all levels, whatever the gradient, and so is an infinite place on a face (of directions that
// are subnormal in two axes). NaN counts as 0.
s64 gradient_level(const TextureView& view, const Fetch& fetch);

}  // namespace ww::devicelib
