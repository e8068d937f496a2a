#include "engine/hybrid/drift.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace halo {
namespace {

struct Named {
  std::string_view name;
  double HybridPlatform::*figure;
};
constexpr Named kRates[] = {{"socket_memory_gbps", &HybridPlatform::socketMemoryGbps},
                            {"cpu_gmacs", &HybridPlatform::cpuGmacs},
                            {"thread_gbps", &HybridPlatform::threadGbps},
                            {"thread_sample_medges", &HybridPlatform::threadSampleMedges},
                            {"card_memory_gbps", &HybridPlatform::cardMemoryGbps},
                            {"card_gmacs", &HybridPlatform::cardGmacs},
                            {"card_sample_medges", &HybridPlatform::cardSampleMedges},
                            {"pcie_gbps", &HybridPlatform::pcieGbps}};

constexpr double kLeastTimes = 1e-3, kMostTimes = 1e3;

std::string knownRates() {
  std::string names;
  for (const Named& rate : kRates) names += (names.empty() ? "" : ", ") + std::string(rate.name);
  return names;
}

}  // namespace

PlatformDrift::PlatformDrift(const std::string& text, const char* key, std::vector<Problem>& problems) {
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto refuse = [&](const std::string& right) {
      problems.push_back({.key = key, .message = fmt::format("'{}' cannot be used; {}", part, right)});
    };
    std::istringstream words(part);
    std::string name, more;
    Figure drifts{};
    if (!(words >> name >> drifts.times >> drifts.every) || words >> more) {
      refuse("a figure, how many times it is, and iterations, as \"cpu_gmacs 0.5 100\"");
      continue;
    }
    const auto* rate = std::ranges::find(kRates, name, &Named::name);
    if (rate == std::end(kRates))
      refuse("a rate of the platform, of: " + knownRates());
    else if (!(drifts.times >= kLeastTimes && drifts.times <= kMostTimes))
      refuse(fmt::format("times from {:g} to {:g}", kLeastTimes, kMostTimes));
    else if (drifts.every < 1)
      refuse("at least 1 iteration");
    else {
      drifts.figure = rate->figure;
      figures_.push_back(drifts);
    }
  }
}

bool PlatformDrift::apply(const HybridPlatform& base, std::int64_t iteration, HybridPlatform& now) const {
  bool changed = false;
  for (const Figure& drifts : figures_) {
    const bool off = iteration / drifts.every % 2 == 1;
    const double value = base.*drifts.figure * (off ? drifts.times : 1);
    changed = changed || now.*drifts.figure != value;
    now.*drifts.figure = value;
  }
  return changed;
}

}  // namespace halo
