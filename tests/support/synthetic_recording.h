#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/index.h"
#include "engine/base/philox.h"
#include "engine/record/database/database.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"

namespace halo {

/// What a synthetic recording is like. The same figures give the same spans.
struct Synthetic {
  std::int64_t spans = 10'000'000;  // of all ranks and lanes together, exactly
  std::int64_t ranks = 64;
  std::int64_t epochs = 100;
  std::uint64_t seed = 1;
};

/// One rank of a synthetic run. Each epoch has one phase span, then main-lane spans (five of eight) one after
/// the other with a few gaps. Transfers are three of eight spans, at most four under way at once. Lengths are
/// log-uniform, 0.2–800 µs.
class SyntheticRank {
 public:
  SyntheticRank(const Synthetic& like, std::int64_t rank)
      : like_(like), rank_(rank), random_(like.seed, Purpose::generate, static_cast<std::uint64_t>(rank)) {}

  /// Calls write(spans) with up to kSpansPerBlock spans of one lane and epoch(row) once an epoch.
  template <class Write, class Epoch>
  void run(std::int64_t spans, Write write, Epoch epoch) {
    for (std::int64_t e = 0; e < like_.epochs; ++e) {
      const std::int64_t share = spans / like_.epochs + (e < spans % like_.epochs ? 1 : 0);
      if (share == 0) continue;
      const std::int64_t begin = now_, transfers = (share - 1) * 3 / 8;
      for (std::int64_t i = 0; i < share - 1 - transfers; ++i) work(e, i, share, write);
      for (std::int64_t i = 0; i < transfers; ++i) transfer(e, begin + (now_ - begin) * i / transfers, write);
      now_ += 1000;
      add({begin, now_ - begin, 0, epochOf(e), -1, -1, Name::epoch, Kind::other, Lane::phase, Pass::none},
          write);
      epoch({e, begin, now_ - begin, 2.0 / static_cast<double>(e + 1), 0.5, 0.5, 0.5});
    }
    for (auto& lane : lanes_)
      if (!lane.empty()) write(lane);
  }

 private:
  static std::int32_t epochOf(std::int64_t epoch) { return static_cast<std::int32_t>(epoch); }
  std::int64_t length() {
    return static_cast<std::int64_t>(200.0F * std::exp2(static_cast<float>(unit(random_.next())) * 11.966F));
  }

  template <class Write>
  void add(const Span& span, Write& write) {
    auto& lane = lanes_[at(span.lane)];
    lane.push_back(span);
    if (lane.size() < kSpansPerBlock) return;
    write(lane);
    lane.clear();
  }

  template <class Write>
  void work(std::int64_t epoch, std::int64_t i, std::int64_t share, Write& write) {
    struct What {
      Name name;
      Kind kind;
    };
    constexpr What kCycle[] = {{Name::aggregate, Kind::compute},     {Name::update, Kind::compute},
                               {Name::wait, Kind::communication},    {Name::activation, Kind::compute},
                               {Name::encode, Kind::quantise},       {Name::aggregate, Kind::compute},
                               {Name::allReduce, Kind::synchronise}, {Name::record, Kind::other}};
    const What activity = kCycle[i % 8];
    if (random_.next() % 8 == 0) now_ += random_.next() % 50'000;
    const std::int64_t duration = length();
    const auto layer = static_cast<std::int16_t>(i / 8 % 3);
    add({now_, duration, 0, epochOf(epoch), -1, layer, activity.name, activity.kind, Lane::main,
         i < share * 5 / 16 ? Pass::forward : Pass::backward},
        write);
    now_ += duration;
  }

  template <class Write>
  void transfer(std::int64_t epoch, std::int64_t atNs, Write& write) {
    std::int64_t& slot = *std::min_element(slots_.begin(), slots_.end());
    const std::int64_t begin = linkNow_ = std::max({atNs, linkNow_, slot});
    const std::int64_t duration = length();
    slot = begin + duration;
    const auto peer = static_cast<std::int32_t>(
        (rank_ + 1 + random_.next() % std::max<std::int64_t>(like_.ranks - 1, 1)) % like_.ranks);
    add({begin, duration, duration * 8, epochOf(epoch), peer, 0,
         random_.next() % 2 == 0 ? Name::send : Name::receive, Kind::communication, Lane::link,
         Pass::forward},
        write);
  }

  Synthetic like_;
  std::int64_t rank_;
  PhiloxStream random_;
  std::int64_t now_ = 0, linkNow_ = 0;
  std::array<std::int64_t, 4> slots_{};
  std::array<std::vector<Span>, 3> lanes_;
};

/// Writes a recording with one completed run of SyntheticRanks (span blocks, epochs of rank 0, workers,
/// latest) and returns the run's id. Ten million spans take a few seconds in a release build.
inline std::int64_t writeSyntheticRecording(const std::filesystem::path& file, const Synthetic& like = {}) {
  Database database(file, Access::create);
  Runs runs(database);
  RunRow run;
  run.name = "synthetic", run.method = "vanilla", run.dataset = "synthetic", run.model = "gcn";
  run.workers = like.ranks, run.seed = static_cast<std::int64_t>(like.seed), run.status = "completed";
  run.startedAt = "2026-01-01T00:00:00Z", run.finishedAt = "2026-01-01T00:10:00Z";
  const std::int64_t id = runs.add(run);
  std::vector<WorkerRow> workers(at(like.ranks));
  for (std::int64_t rank = 0; rank < like.ranks; ++rank) {
    WorkerRow& worker = workers[at(rank)];
    worker.rank = rank, worker.host = "node" + std::to_string(rank / 8);
    Transaction transaction(database);
    SyntheticRank(like, rank)
        .run(
            like.spans / like.ranks + (rank < like.spans % like.ranks ? 1 : 0),
            [&](const std::vector<Span>& spans) { Spans(database).append(id, rank, spans); },
            [&](const EpochRow& row) {
              if (rank == 0) Epochs(database).append(id, std::span(&row, 1));
            });
    transaction.commit();
  }
  runs.setWorkers(id, workers);
  runs.setLatest(
      id, {{"loss", 2.0 / static_cast<double>(like.epochs)}, {"epochs", static_cast<double>(like.epochs)}});
  return id;
}

}  // namespace halo
