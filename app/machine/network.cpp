#include "app/machine/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/index.h"
#include "engine/experiment/read_value.h"

namespace halo {
namespace {

using State = Finding::State;

// Of the middle half of all rounds, the highest over the lowest. A quiet wire stays far below.
constexpr double kWidestBandwidth = 1.25, kWidestLatency = 2;
// Each way at once, over one way alone: 1 where the ways are apart, 1/2 where they share the wire.
constexpr double kMostAtOnce = 1.25, kLeastAtOnce = 0.4;

/// Three digits, or all of a larger whole number: never 2e+03.
std::string digits(double value) {
  return value < 999.5 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

std::string spreadText(const Rounds& figure) {
  return fmt::format("{} ({}–{})", digits(figure.median), digits(figure.low), digits(figure.high));
}

bool isMeasured(const Rounds& figure) {
  return std::isfinite(figure.high) && figure.low > 0 && std::isfinite(figure.median);
}

std::string scatter(const char* subject, const char* unit, const Rounds& figure, double widest) {
  if (figure.high <= widest * figure.low) return "";
  return fmt::format("{} scatters from {} to {} {} in the middle half of the rounds", subject,
                     digits(figure.low), digits(figure.high), unit);
}

std::string nameOf(const std::vector<std::string>& hosts, const LinkSpeed& link) {
  const auto host = [&](int place) { return hosts.at(at(place)); };
  return host(link.first) + " – " + host(link.second);
}

/// As an experiment takes it: to three digits, for what was measured is no surer.
std::string asLink(const LinkSpeed& speed) {
  const auto rounded = [](double value) { return std::stod(fmt::format("{:.3g}", value)); };
  LinkSettings link;
  link.bandwidthGbit = rounded(speed.bothWaysGbit.median);
  link.latencyUs = rounded(speed.latencyUs.median);
  return linkText(link);
}

}  // namespace

std::string doubtOf(const LinkSpeed& speed) {
  const Rounds &alone = speed.oneWayGbit, &atOnce = speed.bothWaysGbit;
  if (!isMeasured(alone) || !isMeasured(atOnce) || !isMeasured(speed.latencyUs))
    return "a message took less time than the latency";
  for (const std::string& wide : {scatter("one way", "Gbit/s", alone, kWidestBandwidth),
                                  scatter("each way at once", "Gbit/s", atOnce, kWidestBandwidth),
                                  scatter("latency", "µs", speed.latencyUs, kWidestLatency)})
    if (!wide.empty()) return wide;
  const double share = atOnce.median / alone.median;
  if (share >= kLeastAtOnce && share <= kMostAtOnce) return "";
  return fmt::format(
      "each way at once takes {:.3g} Gbit/s and one way {:.3g}: each way of a wire takes half to all of that",
      atOnce.median, alone.median);
}

std::vector<Finding> networkFindings(const std::vector<std::string>& hosts,
                                     const std::vector<LinkSpeed>& links) {
  constexpr const char* kAgain =
      "measure again while nothing else uses the hosts and the network; or write bandwidth and latency of "
      "the "
      "network by hand, as its vendor says";
  std::vector<Finding> findings;
  std::string withheld;
  for (const LinkSpeed& link : links) {
    const std::string doubt = doubtOf(link);
    if (!doubt.empty()) withheld += (withheld.empty() ? "" : ", ") + nameOf(hosts, link);
    findings.push_back(
        {"network " + nameOf(hosts, link), doubt.empty() ? State::good : State::poor,
         fmt::format("{} Gbit/s one way, {} Gbit/s each way at once, {} µs latency",
                     spreadText(link.oneWayGbit), spreadText(link.bothWaysGbit), spreadText(link.latencyUs)),
         doubt.empty() ? "" : doubt + "; " + kAgain});
  }
  const auto slower = [](const LinkSpeed& link) { return link.bothWaysGbit.median; };
  const std::string slowest = asLink(*std::ranges::min_element(links, {}, slower));
  for (const auto& [subject, key] : {std::pair{"as a link", "cluster.link"}, {"as a wire", "cluster.wire"}})
    findings.push_back(withheld.empty()
                           ? Finding{subject, State::good, fmt::format("{} = {}", key, slowest), ""}
                           : Finding{subject, State::poor, "withheld: figures in doubt of " + withheld, ""});
  return findings;
}

}  // namespace halo
