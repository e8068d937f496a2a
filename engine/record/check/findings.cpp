#include "engine/record/check/findings.h"

#include <algorithm>

#include "engine/base/problem.h"

namespace halo {
namespace {

constexpr std::size_t kShown = 5;

}  // namespace

Findings::Group& Findings::group(std::string_view kind) {
  const auto [found, added] = kinds_.try_emplace(std::string(kind), groups_.size());
  if (added) groups_.emplace_back();
  return groups_[found->second];
}

void Findings::add(std::string_view kind, std::int64_t run, const std::string& place,
                   const std::string& said) {
  Group& of = group(kind);
  if (of.shown.size() < kShown) {
    of.shown.push_back("run " + std::to_string(run) + (place.empty() ? "" : ", " + visible(place)) + ": " +
                       visible(said));
    return;
  }
  ++of.more;
  of.runsOfMore.insert(run);
}

void Findings::addDamage(const RecordError& error, std::int64_t run) {
  if (error.exitStatus() >= 5 || dynamic_cast<const RecordLocked*>(&error) != nullptr) throw;
  addDamage((run == 0 ? "" : "run " + std::to_string(run) + ": ") + error.what());
}

void Findings::addDamage(const std::string& said) {
  damaged_ = true;
  Group& of = group("damage");
  const std::string shown = visible(said);
  if (std::ranges::find(of.shown, shown) == of.shown.end()) of.shown.push_back(shown);
}

void Findings::addNote(std::int64_t run, const std::string& said) {
  notes_.push_back("run " + std::to_string(run) + ": " + visible(said));
}

std::vector<std::string> Findings::faults() const {
  std::vector<std::string> all;
  for (const Group& of : groups_) {
    all.insert(all.end(), of.shown.begin(), of.shown.end());
    if (of.more == 0) continue;
    all.back() += " (and " + std::to_string(of.more) + " more like this, in " +
                  (of.runsOfMore.size() == 1 ? "run " + std::to_string(*of.runsOfMore.begin())
                                             : std::to_string(of.runsOfMore.size()) + " runs") +
                  ")";
  }
  return all;
}

}  // namespace halo
