#include "engine/record/check/hidden.h"
#include "engine/record/analysis/rest_share.h"

namespace halo {

HiddenShare::HiddenShare(const CheckedRun& run, std::int64_t late, std::span<const EpochRow> epochs)
    : run_(run), late_(late), epochs_(static_cast<std::int64_t>(epochs.size())) {
  for (const EpochRow& row : epochs) {
    if (row.filling)
      filling_.insert(row.epoch);
    else
      timedNs_ += row.wallNs;
  }
}

void HiddenShare::add(std::int64_t rank, std::span<const Span> spans) {
  Rank& worker = ranks_.try_emplace(rank, static_cast<int>(late_)).first->second;
  for (const Span& span : spans) {
    if (span.lane == Lane::phase && span.name == Name::epoch) {
      worker.complete = worker.complete && span.epoch == worker.epochs;
      ++worker.epochs;
      worker.hidden.add(worker.noted[span.epoch], span.beginNs, span.endNs(), !filling_.contains(span.epoch));
      worker.noted.erase(span.epoch);
    } else if (span.lane == Lane::main || span.lane == Lane::link) {
      worker.noted[span.epoch].push_back(span);
    }
  }
}

Figures HiddenShare::figures() {
  std::int64_t hidden = 0, underWay = 0, other = 0;
  for (auto& [rank, worker] : ranks_) {
    if (!worker.complete || worker.epochs != epochs_) return {};
    for (const auto& [epoch, spans] : worker.noted) worker.hidden.addLate(spans);
    hidden += worker.hidden.totalNs();
    underWay += worker.hidden.transferNs();
    other += worker.hidden.otherNs();
  }
  const auto workers = run_.row.workers;
  if (timedNs_ <= 0 || static_cast<std::int64_t>(ranks_.size()) != workers) return {};
  const auto workersNs = static_cast<double>(timedNs_) * static_cast<double>(workers);
  Figures figures = {{"hidden_share", static_cast<double>(hidden) / workersNs}};
  figures[kOtherShare] = static_cast<double>(other) / workersNs;
  if (underWay > 0)
    figures["hidden_transfer_share"] = static_cast<double>(hidden) / static_cast<double>(underWay);
  return figures;
}

}  // namespace halo
