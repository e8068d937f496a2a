#include "engine/methods/choices/sending_policy.h"

#include <limits>

#include "engine/methods/contract/staleness.h"

namespace halo {

SendingPolicy::SendingPolicy(const Values& values)
    : kind(values.text("policy") == "fixed" ? Kind::fixed
           : values.text("policy") == "age" ? Kind::age
                                            : Kind::variation),
      interval(values.integer("interval")),
      threshold(values.real("threshold")),
      skipsBackward(values.flag("skip_backward")) {}

bool Copies::decide(std::int32_t epoch, const Matrix& own) {
  if (own.rows() == 0) return false;
  const bool first = !sentAt_;
  if (!first && !due(epoch, own)) return false;
  sentAt_ = epoch - (first ? head_ : 0);
  if (policy_.kind == SendingPolicy::Kind::variation) sent_ = own;
  return true;
}

std::size_t Copies::bytes() const {
  std::size_t bytes = sent_.heldBytes();
  for (const Matrix& block : blocks_) bytes += block.heldBytes();
  return bytes;
}

bool Copies::due(std::int32_t epoch, const Matrix& own) const {
  switch (policy_.kind) {
    case SendingPolicy::Kind::fixed:
      return epoch % policy_.interval == 0;
    case SendingPolicy::Kind::age:
      return epoch - *sentAt_ >= policy_.interval;
    case SendingPolicy::Kind::variation:
      return !(change(own) < policy_.threshold);  // a change that is not a number is one
  }
  return true;
}

double Copies::change(const Matrix& own) const {
  const Staleness d = distance(0, Pass::none, own.values(), sent_.values());
  if (d.absolute == 0) return 0;
  return d.relative > 0 ? d.relative
                        : std::numeric_limits<double>::infinity();  // from zeros, or not a number
}

}  // namespace halo
