#include "engine/run/launch/launch_log.h"

#include <fmt/format.h>

namespace halo {
namespace {

constexpr std::size_t kLineBytes = 4096;

std::string cut(std::string_view line) {
  if (line.size() <= kLineBytes) return std::string(line);
  return fmt::format("{}… ({} bytes more)", line.substr(0, kLineBytes), line.size() - kLineBytes);
}

}  // namespace

void LaunchLog::add(std::string_view line) {
  if (first_.size() < half_) return first_.push_back(cut(line));
  last_.push_back(cut(line));
  if (last_.size() <= half_) return;
  last_.pop_front();
  ++leftOut_;
}

std::vector<std::string> LaunchLog::lines() const {
  std::vector<std::string> all = first_;
  all.insert(all.end(), last_.begin(), last_.end());
  return all;
}

std::string LaunchLog::text() const {
  std::string text;
  for (const std::string& line : first_) text += line + "\n";
  if (leftOut_ > 0) text += fmt::format("({} lines were left out here)\n", leftOut_);
  for (const std::string& line : last_) text += line + "\n";
  return text;
}

}  // namespace halo
