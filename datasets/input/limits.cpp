#include "datasets/input/limits.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include "datasets/input/unpack_limit.h"
#include "engine/base/address_limit.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

constexpr double kGib = 1073741824;
/// Below it nobody needs to ask the kernel.
constexpr double kSmall = 16 * 1048576.0;

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// In bytes; 0: not set.
thread_local double limitOfRequest = 0;
/// Of what is unpacked.
thread_local double unpackLimit = kUnlimited;
/// What this process held when the outermost limit of this thread began; −1: there is none.
thread_local double heldBefore = -1;

double limitOfEnvironment() {
  const char* text = std::getenv(kMemoryLimitVariable);
  if (text == nullptr || *text == '\0') return 0;
  const std::string_view word(text);
  double gib = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), gib);
  if (error != std::errc() || end != word.data() + word.size() || !(gib > 0) || gib > 1e9)
    throw InputError({.key = kMemoryLimitVariable,
                      .message = fmt::format("'{}' cannot be used; a number of GiB above 0", visible(text))});
  return gib * kGib;
}

double limitSet() { return limitOfRequest > 0 ? limitOfRequest : limitOfEnvironment(); }

double kernelEstimate() {
  std::ifstream info("/proc/meminfo");
  for (std::string key, rest; info >> key && std::getline(info, rest);)
    if (key == "MemAvailable:") return std::stod(rest) * 1024;
  struct sysinfo machine {};
  return sysinfo(&machine) == 0 ? static_cast<double>(machine.freeram) * machine.mem_unit : kUnlimited;
}

double figure(const fs::path& file) {
  std::ifstream in(file);
  double value = 0;
  return in >> value ? value : -1;
}

/// What pages of files take of a control group: the kernel gives them back when memory is asked for.
double fileBytes(const fs::path& group) {
  std::ifstream in(group / "memory.stat");
  std::string key;
  for (double value = 0; in >> key >> value;)
    if (key == "file" || key == "total_cache") return value;
  return 0;
}

/// What a control group has left; version 2 and 1 name their files differently.
double leftIn(const fs::path& group) {
  for (const auto& [limit, usage] : {std::pair("memory.max", "memory.current"),
                                     std::pair("memory.limit_in_bytes", "memory.usage_in_bytes")}) {
    const double most = figure(group / limit), used = figure(group / usage);
    if (most < 0) continue;
    return std::max(0.0, most - std::max(0.0, used - fileBytes(group)));
  }
  return kUnlimited;
}

/// The least that our control group and those above it have left.
double controlGroups() {
  double least = kUnlimited;
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const bool second = line.starts_with("0::/");
    const std::size_t path = line.find(":/");
    if (!second && (path == std::string::npos || line.substr(0, path).find(":memory") == std::string::npos))
      continue;
    const fs::path root = second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    for (fs::path group = root / line.substr(path + 2); group != root; group = group.parent_path())
      least = std::min(least, leftIn(group));
    least = std::min(least, leftIn(root));
  }
  return least;
}

/// Pages of this process: all, resident, and of these the ones of files.
struct Pages {
  double all = 0, resident = 0, ofFiles = 0;
};

Pages ownPages() {
  std::ifstream in("/proc/self/statm");
  Pages pages;
  in >> pages.all >> pages.resident >> pages.ofFiles;
  return pages;
}

double pageBytes() { return static_cast<double>(::sysconf(_SC_PAGESIZE)); }

double addressSpace() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - ownPages().all * pageBytes());
}

/// Memory of this process that is no file's.
double ownBytes() {
  const Pages pages = ownPages();
  return (pages.resident - pages.ofFiles) * pageBytes();
}

/// What is held since `before`, as limits began.
double grownSince(double before) { return before < 0 ? 0 : std::max(0.0, ownBytes() - before); }

std::string sized(double bytes, int digits) {
  if (bytes >= kGib) return fmt::format("{:.{}f} GiB", bytes / kGib, digits);
  if (bytes >= 1048576) return fmt::format("{:.{}f} MiB", bytes / 1048576, digits);
  return fmt::format("{:.0f} bytes", bytes);
}

/// With as many digits as tell it from the limit.
std::string sizeBeyond(double bytes, double limit) {
  int digits = 1;
  while (sized(bytes, digits) == sized(limit, digits) && digits < 6) ++digits;
  return sized(bytes, digits);
}

/// What is wrong with `bytes` at `place`: more than the limit.
Problem tooMuch(double bytes, double heldBytes, double limit, const std::string& subject, Problem place,
                const std::string& why) {
  // a page or two come and go with the allocator
  const bool counts = heldBytes >= 1 << 20 || bytes <= limit;
  const std::string beside = counts ? fmt::format(" beside {} that are held", sizeText(heldBytes)) : "";
  place.message = fmt::format("{} would take {}{}; {}", subject, sizeBeyond(bytes, limit), beside, why);
  return place;
}

std::string onlyAllows(double limit) {
  return fmt::format("{} allows {}", memoryLimitText(), sizeText(limit));
}

std::string onlyJustifies(double evidence, double justified) {
  return fmt::format("{} of data justify {}; {} raises the limit", sizeText(evidence), sizeText(justified),
                     memoryLimitText());
}

std::string onlyAvailable(double available) {
  if (addressSpace() < kernelEstimate())
    return fmt::format("{} of memory are available: {}", sizeText(available), addressLimitText());
  return fmt::format("{} of memory are available; {} sets another limit", sizeText(available),
                     memoryLimitText());
}

/// `available`: beside what is held.
void require(double bytes, double heldBytes, double evidence, double available, const std::string& subject,
             Problem place) {
  const double set = limitSet(), justified = std::max(kUnjustifiedBytes, kSwelling * evidence);
  const double limit = set > 0 ? set : std::min(available + heldBytes, justified);
  if (bytes + heldBytes <= limit) return;
  throw DamagedInput(tooMuch(bytes, heldBytes, limit, subject, std::move(place),
                             set > 0                             ? onlyAllows(set)
                             : available + heldBytes < justified ? onlyAvailable(available)
                                                                 : onlyJustifies(evidence, justified)));
}

}  // namespace

const std::string& memoryLimitText() {
  static const std::string text =
      fmt::format("{} (or {} in the environment)", kMemoryLimitKey, kMemoryLimitVariable);
  return text;
}

std::string sizeText(double bytes) { return sized(bytes, 1); }

double availableBytes() { return std::min({kernelEstimate(), controlGroups(), addressSpace()}); }

MemoryLimit::MemoryLimit(double gib) : before_(limitOfRequest), heldBefore_(heldBefore) {
  limitOfRequest = gib * kGib;
  if (heldBefore >= 0) return;
  // what was freed before would be taken again without a trace, or be given back while something is read
  if (gib > 0 || std::getenv(kMemoryLimitVariable) != nullptr) ::malloc_trim(0);
  heldBefore = ownBytes();
}
MemoryLimit::~MemoryLimit() {
  limitOfRequest = before_;
  heldBefore = heldBefore_;
}

UnpackLimit::UnpackLimit(double bytes) {
  if (limitSet() <= 0) unpackLimit = bytes;
}
UnpackLimit::~UnpackLimit() { unpackLimit = kUnlimited; }

UnpackedEnough::UnpackedEnough(const std::filesystem::path& file, double unpacked, std::int64_t line)
    : Swollen({file.string(), line, 0, "",
               fmt::format("nothing is wrong up to here, in {} of the text", sizeText(unpacked))}),
      bytes(unpacked) {}

void UnpackLimit::require(double bytes, const std::filesystem::path& file) {
  if (bytes > unpackLimit) throw UnpackedEnough(file, unpackLimit);
}

void requireRoom(double bytes, double evidence, const std::string& subject, Problem place, double heldBytes) {
  const bool limited = limitSet() > 0;
  if (bytes + heldBytes <= kSmall && !limited) return;
  require(bytes, std::max(heldBytes, limited ? grownSince(heldBefore) : 0), evidence, availableBytes(),
          subject, std::move(place));
}

void requireDenseFits(Index rows, Index cols, Index entries, const std::filesystem::path& file) {
  const double bytes = static_cast<double>(rows) * static_cast<double>(cols) * sizeof(Scalar);
  std::error_code pipe;  // its size is not known
  const auto packed = static_cast<double>(fs::file_size(file, pipe));
  const double read = static_cast<double>(rows + entries) * sizeof(Index);
  requireRoom(bytes, pipe ? read : std::min(packed, read),
              "a dense matrix of " + std::to_string(rows) + " × " + std::to_string(cols),
              {.file = file.string()});
}

void requireJustified(double bytes, double free, double justified, const std::string& subject,
                      Problem place) {
  const double set = limitSet(), allowed = std::max(set > 0 ? set : free, justified);
  if (bytes <= allowed) return;
  throw Swollen(tooMuch(bytes, 0, allowed, subject, std::move(place),
                        fmt::format("a file that is packed so small may hold {}; {} raises the limit",
                                    sizeText(allowed), memoryLimitText())));
}

MemoryGrowth::MemoryGrowth() : before_(ownBytes()) {}

void MemoryGrowth::require(double evidence, const std::string& subject, Problem place, double coming) const {
  const double grown = grownSince(limitSet() > 0 && heldBefore >= 0 ? heldBefore : before_);
  halo::require(grown + coming, 0, evidence, grown + availableBytes(), subject, std::move(place));
}

}  // namespace halo
