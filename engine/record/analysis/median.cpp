#include "engine/record/analysis/median.h"

namespace halo {

void Median::add(double value) {
  if (low_.empty() || value <= low_.top())
    low_.push(value);
  else
    high_.push(value);
  if (low_.size() > high_.size() + 1) {
    high_.push(low_.top());
    low_.pop();
  } else if (high_.size() > low_.size()) {
    low_.push(high_.top());
    high_.pop();
  }
}

double Median::value() const {
  return low_.size() > high_.size() ? low_.top() : (low_.top() + high_.top()) / 2;
}

}  // namespace halo
