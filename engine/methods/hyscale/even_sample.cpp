#include "engine/methods/hyscale/even_sample.h"

#include <algorithm>

#include "engine/base/median.h"

namespace halo::hyscale {

void EvenSample::add(double value) {
  if (offered_++ % stride_ != 0) return;
  kept_.push_back(value);
  if (kept_.size() < kMost) return;
  for (std::size_t i = 0; 2 * i < kept_.size(); ++i) kept_[i] = kept_[2 * i];
  kept_.resize((kept_.size() + 1) / 2);
  stride_ *= 2;
}

void EvenSample::keep(ByteWriter& out) const {
  out.value(offered_);
  out.value(stride_);
  out.array(kept_);
}

void EvenSample::resume(ByteReader& in) {
  offered_ = in.value<std::int64_t>();
  stride_ = in.value<std::int64_t>();
  in.array(kept_);
}

double EvenSample::median() const { return halo::median(kept_); }

}  // namespace halo::hyscale
