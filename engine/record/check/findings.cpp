#include "engine/record/check/findings.h"

#include <algorithm>

#include "engine/base/plain_text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

constexpr std::size_t kShown = 5;

/// As `visible`. Of what is too long for a line, as a cell of a foreign recording may be, both ends.
std::string shownText(const std::string& sentence) {
  constexpr std::size_t kLongest = 2'000, kBegin = 400, kEnd = 200;
  if (sentence.size() <= kLongest) return visible(sentence);
  return visible(validUtf8(sentence.substr(0, kBegin)) + "… (" +
                 std::to_string(sentence.size() - kBegin - kEnd) + " more bytes) …" +
                 validUtf8(sentence.substr(sentence.size() - kEnd)));
}

}  // namespace

Findings::Group& Findings::group(std::string_view kind) {
  const auto [entry, added] = kinds_.try_emplace(std::string(kind), groups_.size());
  if (added) groups_.emplace_back();
  return groups_[entry->second];
}

void Findings::add(std::string_view kind, std::int64_t run, const std::string& place,
                   const std::string& sentence) {
  Group& members = group(kind);
  if (members.shown.size() < kShown) {
    members.shown.push_back("run " + std::to_string(run) + (place.empty() ? "" : ", " + shownText(place)) +
                            ": " + shownText(sentence));
    return;
  }
  ++members.more;
  members.runsOfMore.insert(run);
}

void Findings::addDamage(const RecordError& error, std::int64_t run) {
  if (error.exitStatus() >= 5 || dynamic_cast<const RecordLocked*>(&error) != nullptr) throw;
  addDamage((run == 0 ? "" : "run " + std::to_string(run) + ": ") + error.what());
}

void Findings::addDamage(const std::string& sentence) {
  damaged_ = true;
  Group& members = group("damage");
  const std::string text = shownText(sentence);
  if (std::ranges::find(members.shown, text) == members.shown.end()) members.shown.push_back(text);
}

void Findings::addNote(std::int64_t run, const std::string& sentence) {
  notes_.push_back("run " + std::to_string(run) + ": " + shownText(sentence));
}

std::vector<std::string> Findings::faults() const {
  std::vector<std::string> all;
  for (const Group& members : groups_) {
    all.insert(all.end(), members.shown.begin(), members.shown.end());
    if (members.more == 0) continue;
    all.back() += " (and " + std::to_string(members.more) + " more like this, in " +
                  (members.runsOfMore.size() == 1 ? "run " + std::to_string(*members.runsOfMore.begin())
                                                  : std::to_string(members.runsOfMore.size()) + " runs") +
                  ")";
  }
  return all;
}

}  // namespace halo
