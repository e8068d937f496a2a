#include "engine/methods/hyscale/model_fit.h"

#include <algorithm>
#include <numeric>

namespace halo::hyscale {

void ModelFit::add(const HybridTimes& predicted, double predictedSeconds, const HybridTimes& times,
                   double seconds) {
  const double stages[] = {times.sample(), times.load, times.transfer, times.propagate()};
  const double all = std::accumulate(std::begin(stages), std::end(stages), 0.0);
  const double most = std::ranges::max(stages);
  // on the host, handing over may take longer than the stages
  if (all > most) hidden_.add(std::clamp((all - seconds) / (all - most), 0.0, 1.0));
  for (const auto& [metric, error] : predictionErrors(predicted, predictedSeconds, times, seconds))
    errors_[metric].add(error);
}

void ModelFit::addTo(std::map<std::string, double>& figures) const {
  if (!hidden_.empty()) figures["prefetch_hidden_share"] = hidden_.median();
  for (const auto& [metric, errors] : errors_) figures[metric] = errors.median();
}

void ModelFit::keep(ByteWriter& out) const {
  hidden_.keep(out);
  out.value(std::ssize(errors_));
  for (const auto& [metric, errors] : errors_) {
    out.array(metric);
    errors.keep(out);
  }
}

void ModelFit::resume(ByteReader& in) {
  hidden_.resume(in);
  std::string metric;
  for (auto metrics = in.value<std::ptrdiff_t>(); metrics > 0; --metrics) {
    in.array(metric);
    errors_[metric].resume(in);
  }
}

}  // namespace halo::hyscale
