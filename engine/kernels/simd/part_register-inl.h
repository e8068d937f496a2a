// The first few numbers of a register, once per Highway target. To be included after hwy/highway.h.
//
// Highway's MaskedLoad needs an aligned address on SSE4 and NEON and reads what it masks out. Its
// BlendedStore writes back on NEON what another thread may have changed. These touch no number but the first.
#if defined(HALO_PART_REGISTER_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HALO_PART_REGISTER_INL_H
#undef HALO_PART_REGISTER_INL_H
#else
#define HALO_PART_REGISTER_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace halo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr bool kMasks = (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || HWY_HAVE_SCALABLE;

/// The numbers first[0 … count), zeros behind; count is at most that of the lanes.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> loadFirst(D d, std::size_t count, const T* first) {
  if constexpr (kMasks) {
    return hn::MaskedLoad(hn::FirstN(d, count), d, first);
  } else {
    HWY_ALIGN T lanes[hn::MaxLanes(D())] = {};
    std::copy_n(first, count, lanes);
    return hn::Load(d, lanes);
  }
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void storeFirst(hn::Vec<D> v, D d, std::size_t count, T* first) {
  if constexpr (kMasks) {
    hn::BlendedStore(v, hn::FirstN(d, count), d, first);
  } else {
    HWY_ALIGN T lanes[hn::MaxLanes(D())];
    hn::Store(v, d, lanes);
    std::copy_n(lanes, count, first);
  }
}

}  // namespace halo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
