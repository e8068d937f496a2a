#include "engine/sampling/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo {
namespace {

std::int64_t batches(std::int64_t vertices, std::int64_t batch, bool dropLast) {
  if (batch == 0) return 0;
  return vertices / batch + (!dropLast && vertices % batch != 0);
}

std::string verticesOf(std::int64_t count) {
  return fmt::format("{} training {}", count, count == 1 ? "vertex" : "vertices");
}

/// Why no iteration is left although batches are in range, and what would leave some.
std::string nothingLeft(const SeedSettings& settings, std::int64_t all, int trainers) {
  const bool global = settings.seeds == SeedChoice::global;
  const std::string why =
      global ? fmt::format("the global batch of {} is more than the {}", globalBatch(settings, trainers),
                           verticesOf(all))
             : fmt::format("no worker has {}", verticesOf(ownBatch(settings, trainers, trainers - 1)));
  // of fewer training vertices than workers not each worker's batch can have any
  const std::string smaller = global && settings.globalBatch == 0 && all < trainers
                                  ? fmt::format("global_batch = {} or less", all)
                                  : "a smaller batch";
  return "no iteration is left: " + why + "; " + smaller + ", or drop_last = false";
}

}  // namespace

std::int64_t globalBatch(const SeedSettings& settings, int trainers) {
  return settings.globalBatch > 0 ? settings.globalBatch : settings.batch * trainers;
}

std::int64_t ownBatch(const SeedSettings& settings, int trainers, int trainer) {
  if (settings.globalBatch == 0) return settings.batch;
  return settings.globalBatch / trainers + (trainer < settings.globalBatch % trainers);
}

std::int64_t iterationsOf(const SeedSettings& settings, std::span<const std::int64_t> trained) {
  const auto trainers = static_cast<int>(trained.size());
  if (settings.seeds == SeedChoice::global)
    return batches(std::reduce(trained.begin(), trained.end()), globalBatch(settings, trainers),
                   settings.dropLast);
  std::int64_t most = 0;
  for (int i = 0; i < trainers; ++i)
    most = std::max(most, batches(trained[at(i)], ownBatch(settings, trainers, i), settings.dropLast));
  return most;
}

std::vector<Problem> seedProblems(const SeedSettings& settings, std::span<const std::int64_t> trained,
                                  std::string_view prefix) {
  HALO_CHECK(!trained.empty());
  std::vector<Problem> problems;
  const auto wrong = [&](const char* key, const std::string& message) {
    problems.push_back({.key = std::string(prefix) + key, .message = message});
  };
  const auto trainers = static_cast<int>(trained.size());
  const std::int64_t all = std::reduce(trained.begin(), trained.end());
  if (settings.batch < 1)
    wrong("batch", fmt::format("{} cannot be used; 1 or more", settings.batch));
  else if (settings.globalBatch == 0 && settings.batch > all)
    wrong("batch", fmt::format("{} is more than the {}; at most {}", settings.batch, verticesOf(all), all));
  if (settings.globalBatch < 0)
    wrong("global_batch", fmt::format("{} cannot be used; 0 or more", settings.globalBatch));
  else if (settings.globalBatch > all)
    wrong("global_batch",
          fmt::format("{} is more than the {}; at most {}", settings.globalBatch, verticesOf(all), all));
  else if (settings.globalBatch > 0 && settings.globalBatch < trainers && settings.seeds == SeedChoice::own)
    wrong("global_batch",
          fmt::format("{} is less than the {} workers, each of which takes its own seeds; at least {}, or "
                      "seeds = \"global\"",
                      settings.globalBatch, trainers, trainers));
  if (problems.empty() && settings.dropLast && iterationsOf(settings, trained) == 0)
    wrong("drop_last", nothingLeft(settings, all, trainers));
  return problems;
}

std::vector<Problem> budgetProblems(std::int64_t budget, std::int64_t vertices, std::string_view key) {
  std::vector<Problem> problems;
  if (budget < 1)
    problems.push_back(
        {.key = std::string(key), .message = fmt::format("{} cannot be used; 1 or more", budget)});
  else if (budget > vertices)
    problems.push_back({.key = std::string(key),
                        .message = fmt::format("{} is more than the {} {}; at most {}", budget, vertices,
                                               vertices == 1 ? "vertex" : "vertices", vertices)});
  return problems;
}

std::vector<Problem> stepProblems(std::int64_t iterations, std::int64_t epochs, int layers,
                                  std::string_view key) {
  constexpr double kKeys = 0x1p32;
  const double steps = static_cast<double>(iterations) * static_cast<double>(epochs);
  if (steps * layers < kKeys) return {};
  return {{.key = std::string(key),
           .message = fmt::format(
               "{} epochs of {} iterations and {} layers are more draws than can be told apart (2^32); "
               "fewer epochs or a larger batch",
               epochs, iterations, layers)}};
}

}  // namespace halo
