#include "engine/hybrid/node_metrics.h"

#include <fmt/format.h>

namespace halo {

Metric cpuShareMetric() {
  return {"cpu_share", "seeds that the processors train, share", Metric::Unit::plain,
          "seeds that the processors train ÷ all seeds of an iteration"};
}

Metric decisionsMetric() {
  return {"decisions", "changes by the resource manager", Metric::Unit::plain,
          "changes that the resource manager tried; those that it undid too"};
}

Metric windowsToRestMetric() {
  return {"windows_to_rest", "windows until the manager rests", Metric::Unit::plain,
          "windows until the resource manager tried no more; 0: it did not come to rest"};
}

Metric prefetchHiddenShareMetric() {
  return {"prefetch_hidden_share", "of what prefetching can hide, hidden", Metric::Unit::plain,
          "(sum of the stages − iteration) ÷ (sum of the stages − longest stage)"};
}

std::vector<Metric> predictionErrorMetrics(std::string_view quotient, std::string_view remark) {
  const auto error = [&](const char* key, const char* title, const char* part) {
    return Metric{key, title, Metric::Unit::plain,
                  fmt::format("{} time of {}, less one; {}", quotient, part, remark)};
  };
  return {error("prediction_error", "performance model over the iteration, less one", "an iteration"),
          error("prediction_error_sample", "  of sampling", "sampling"),
          error("prediction_error_load", "  of loading", "loading"),
          error("prediction_error_transfer", "  of transfer", "transfer"),
          error("prediction_error_propagate", "  of propagation", "propagation")};
}

}  // namespace halo
