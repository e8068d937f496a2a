// What coding and decoding rows that share their bytes have in common, once per Highway target. To be
// included after hwy/highway.h.
#if defined(HALO_ROW_GROUPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HALO_ROW_GROUPS_INL_H
#undef HALO_ROW_GROUPS_INL_H
#else
#define HALO_ROW_GROUPS_INL_H
#endif

#include <hwy/highway.h>

#include <type_traits>

#include "engine/base/matrix.h"

HWY_BEFORE_NAMESPACE();
namespace halo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if !defined(HALO_DOUBLE) && HWY_TARGET != HWY_SCALAR
constexpr Index kLine = 64 / sizeof(Scalar);  // of a cache

/// Calls use(t) for every row t of a group of `kBits`, t a constant.
template <int kBits, class Use>
HWY_INLINE void forRows(const Use& use) {
  use(std::integral_constant<int, 0>());
  if constexpr (kBits <= 4) use(std::integral_constant<int, 1>());
  if constexpr (kBits == 2) {
    use(std::integral_constant<int, 2>());
    use(std::integral_constant<int, 3>());
  }
}
#endif

}  // namespace halo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
