// The kernels of the upscaling network, one entry each, in the order of their launches. docs/network.md is the
// reference of what they compute, src/net/network.cpp launches them.
#include "ingest.h"
#include "reconstruct.h"
#include "window_layer.h"

using namespace ww;
using namespace ww::network;

WW_KERNEL void __launch_bounds__(128) network_ingest(const NetworkFrame frame) {
  ingest(frame);
}

// position_C / attention_C: a window layer of C channels; then where its tokens come from.
#define WW_LAYER(name, channels, mixing, load, source, head)                                            \
  WW_KERNEL void __launch_bounds__(WW_NETWORK_LAYER_THREADS) network_##name(const NetworkLayer layer) { \
    window_layer<channels, Mixing::mixing, Load::load, source, head>(layer);                            \
  }
#define WW_EXPAND(source, channels)                                    \
  WW_KERNEL void __launch_bounds__(WW_NETWORK_LAYER_THREADS)           \
      network_expand_##source##_##channels(const NetworkLayer layer) { \
    expand<source, channels>(layer);                                   \
  }

WW_LAYER(position_32_features, 32, kPosition, kFeatures, WW_NETWORK_FEATURES, false)
WW_LAYER(position_64_merge_32, 64, kPosition, kMerge, 32, false)
WW_LAYER(attention_96_merge_64, 96, kAttention, kMerge, 64, false)
WW_LAYER(attention_128_merge_96, 128, kAttention, kMerge, 96, false)
WW_EXPAND(128, 96)
WW_LAYER(attention_96_same, 96, kAttention, kSame, 96, false)
WW_EXPAND(96, 64)
WW_LAYER(position_64_same, 64, kPosition, kSame, 64, false)
WW_EXPAND(64, 32)
WW_LAYER(position_32_same, 32, kPosition, kSame, 32, false)
WW_LAYER(position_32_same_head, 32, kPosition, kSame, 32, true)

WW_KERNEL void __launch_bounds__(128) network_reconstruct(const NetworkFrame frame) {
  reconstruct(frame);
}
