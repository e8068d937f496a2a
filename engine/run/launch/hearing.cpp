#include "engine/run/launch/hearing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/base/index.h"

namespace halo {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kStartNs = 60 * kSecondNs;  // what starting the ranks may take in any case
constexpr std::int64_t kEndNs = 15 * kSecondNs;    // what ending them all may take once one is asked to
constexpr std::int64_t kPauseNs = kSecondNs;       // between two ticks: longer, and we were stopped
constexpr std::size_t kShown = 8;

double inSeconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

/// The first few, and how many there are besides.
std::string listed(const std::vector<std::string>& words, const char* between) {
  const std::size_t count = std::min(words.size(), kShown);
  std::string text = fmt::format(
      "{}", fmt::join(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count), between));
  if (words.size() > count) text += fmt::format("{}{} more", between, words.size() - count);
  return text;
}

}  // namespace

Hearing::Hearing(std::int64_t ranks, std::int64_t nowNs) : ranks_(at(ranks)), tickNs_(nowNs) {
  for (Rank& rank : ranks_) rank.heardNs = nowNs;
}

void Hearing::take(const Beat& beat, std::int64_t nowNs) {
  if (beat.rank < 0 || beat.rank >= static_cast<std::int64_t>(ranks_.size())) return;
  ranks_[at(beat.rank)] = {nowNs, true, beat.last, beat.host, beat.words};
}

bool Hearing::anyHeard() const { return std::ranges::any_of(ranks_, &Rank::heard); }

void Hearing::tick(std::int64_t nowNs) {
  const std::int64_t since = nowNs - tickNs_;
  tickNs_ = nowNs;
  if (since <= kPauseNs) return;
  for (Rank& rank : ranks_) rank.heardNs = std::min(nowNs, rank.heardNs + since);
}

std::string Hearing::rankName(std::size_t rank) const {
  return fmt::format("rank {} on {}", rank, ranks_[rank].host);
}

/// "ranks 2, 3 on nodeb and rank 5, of no known host".
std::string Hearing::grouped(const std::vector<std::size_t>& ranks) const {
  std::map<std::string, std::vector<std::string>> byHost;
  for (const std::size_t rank : ranks) byHost[ranks_[rank].host].push_back(std::to_string(rank));
  std::vector<std::string> hosts;
  for (const auto& [host, numbers] : byHost)
    hosts.push_back(fmt::format("{} {}{}", numbers.size() == 1 ? "rank" : "ranks", listed(numbers, ", "),
                                host.empty() ? ", which never said a word" : " on " + host));
  return listed(hosts, "; ");
}

std::optional<std::string> Hearing::lost(std::int64_t silenceS, std::int64_t nowNs) const {
  if (silenceS == 0) return std::nullopt;
  const bool ending = std::ranges::any_of(ranks_, &Rank::parting);
  std::vector<std::size_t> silent, heard;
  std::int64_t longest = 0;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    const std::int64_t lasted = nowNs - ranks_[r].heardNs;
    const std::int64_t limit = std::max(silenceS * kSecondNs, ending ? kEndNs : 0);
    const bool isSilent = lasted > (ranks_[r].heard ? limit : std::max(limit, kStartNs));
    (isSilent ? silent : heard).push_back(r);
    if (isSilent) longest = std::max(longest, lasted);
  }
  if (silent.empty()) return std::nullopt;
  // the others of a lost host have been silent for a beat less
  for (const std::size_t r : std::vector(heard))
    if (2 * (nowNs - ranks_[r].heardNs) > silenceS * kSecondNs) {
      std::erase(heard, r);
      silent.push_back(r);
    }
  std::ranges::sort(silent);
  const std::string words = lastWords(nowNs);
  return fmt::format(
      "nothing was heard for {:.0f} s of {} (cluster.silence_s is {}){}{}. What was recorded until then is "
      "kept; see whether that host is up and reached, and that nobody stopped the rank",
      inSeconds(longest), grouped(silent), silenceS,
      heard.empty() ? "; no rank was heard of any more" : "; still heard of: " + grouped(heard),
      words.empty() ? "" : ". Last words: " + words);
}

std::string Hearing::lastWords(std::int64_t nowNs) const {
  std::vector<std::string> all;
  for (std::size_t r = 0; r < ranks_.size(); ++r)
    if (ranks_[r].heard)
      all.push_back(fmt::format("{}, {:.0f} s ago: {}", rankName(r), inSeconds(nowNs - ranks_[r].heardNs),
                                ranks_[r].words));
  return listed(all, "; ");
}

std::string Hearing::partingWords() const {
  std::vector<std::string> all;
  for (std::size_t r = 0; r < ranks_.size(); ++r)
    if (ranks_[r].parting) all.push_back(rankName(r) + ": " + ranks_[r].words);
  return listed(all, "; ");
}

}  // namespace halo
