#include "engine/record/check/hidden.h"

#include <algorithm>

namespace halo {

void HiddenShare::add(std::int64_t rank, std::span<const Span> spans) {
  Rank& of = ranks_.try_emplace(rank, static_cast<int>(late_)).first->second;
  for (const Span& span : spans) {
    if (span.lane == Lane::phase && span.name == Name::epoch) {
      of.whole = of.whole && span.epoch == of.epochs;
      ++of.epochs;
      of.epochNs += span.durationNs;
      of.hidden.add(of.noted[span.epoch], span.beginNs, span.endNs());
      of.noted.erase(span.epoch);
    } else if (span.kind == Kind::communication) {
      of.noted[span.epoch].push_back(span);
    }
  }
}

std::optional<double> HiddenShare::share(std::int64_t epochs) {
  std::int64_t hidden = 0, longest = 0;
  for (auto& [rank, of] : ranks_) {
    if (!of.whole || of.epochs != epochs) return std::nullopt;
    longest = std::max(longest, of.epochNs);
    hidden += of.hidden.totalNs();
  }
  const auto workers = run_.row.workers;
  if (longest <= 0 || static_cast<std::int64_t>(ranks_.size()) != workers) return std::nullopt;
  return static_cast<double>(hidden) / (static_cast<double>(longest) * static_cast<double>(workers));
}

}  // namespace halo
