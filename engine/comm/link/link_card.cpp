#include "engine/comm/link/link_card.h"

#include <algorithm>

namespace halo {

std::int64_t LinkCard::send(std::int64_t readyNs, std::int64_t transferNs) {
  const std::int64_t departs = std::max(readyNs, outFreeNs_);
  outFreeNs_ = departs + transferNs;
  return departs;
}

std::int64_t LinkCard::receive(std::int64_t reachesNs, std::int64_t transferNs) {
  std::int64_t begins = std::max(reachesNs, inFreeNs_), takes = transferNs;
  while (sumCount_ > 0 && sums_[0].enteredNs < begins + takes) {
    if (sums_[0].enteredNs <= begins) {
      passSum();
      begins = std::max(begins, inFreeNs_);
    } else {
      takes += sums_[0].onWireNs;
      dropSum();
    }
  }
  inFreeNs_ = begins + takes;
  return inFreeNs_;
}

void LinkCard::sum(std::int64_t enteredNs, std::int64_t onWireNs) {
  outFreeNs_ = std::max(enteredNs, outFreeNs_) + onWireNs;
  if (sumCount_ == kSumsKept) passSum();
  sums_[sumCount_++] = {enteredNs, onWireNs};
}

void LinkCard::passSum() {
  inFreeNs_ = std::max(inFreeNs_, sums_[0].enteredNs) + sums_[0].onWireNs;
  dropSum();
}

void LinkCard::dropSum() {
  std::copy(sums_.begin() + 1, sums_.begin() + static_cast<std::ptrdiff_t>(sumCount_), sums_.begin());
  --sumCount_;
}

}  // namespace halo
