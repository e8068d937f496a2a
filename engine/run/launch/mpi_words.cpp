#include "engine/run/launch/mpi_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace halo {
namespace {

using Lines = std::vector<std::string>;

/// One of Open MPI's help texts: from the line that holds `begins` to the ruler that ends it.
Lines textWith(const std::string& begins, const Lines& log) {
  const auto has = [&](const std::string& line) { return line.find(begins) != std::string::npos; };
  const auto isRuler = [](const std::string& line) { return line.starts_with("--------"); };
  const auto first = std::find_if(log.begin(), log.end(), has);
  return {first, std::find_if(first, log.end(), isRuler)};
}

/// What stands behind a label there; "": nothing does.
std::string after(const std::string& label, const Lines& text) {
  for (const std::string& line : text)
    if (const auto at = line.find(label); at != std::string::npos) {
      const auto begin = line.find_first_not_of(' ', at + label.size());
      return begin == std::string::npos ? "" : line.substr(begin);
    }
  return "";
}

/// The host that says this first.
std::string hostSaying(const std::string& words, const Lines& log) {
  for (const std::string& line : log)
    if (line.find(words) != std::string::npos)
      if (const std::string host = hostBefore(line); !host.empty()) return host;
  return "";
}

std::optional<MpiLack> unlikeVersions(const Lines& log) {
  const Lines text = textWith("detected a mismatch in versions", log);
  const std::string own = after("Local Open MPI version:", text),
                    other = after("Peer Open MPI version:", text);
  if (own.empty() || other.empty()) return std::nullopt;
  return MpiLack{
      "",
      fmt::format("Open MPI is version {} on {} and {} on {}", own, after("Local host:", text), other,
                  after("Peer host:", text)),
      "install one version of Open MPI on every host, and see that its mpirun and orted come first "
      "on the PATH there"};
}

std::optional<MpiLack> noFolder(const Lines& log) {
  const Lines text = textWith("unable to create the desired directory", log);
  const std::string folder = after("Directory:", text);
  if (folder.empty()) return std::nullopt;
  return MpiLack{hostSaying("session_dir", log),
                 fmt::format("the folder {} cannot be made: {}", folder, after("Error:", text)),
                 "see that TMPDIR names a folder that you may write on every host"};
}

/// The two hosts between which no message can go; they may be one.
struct Apart {
  std::string first, second, tried;
};
std::optional<Apart> unreached(const Lines& log) {
  const Lines text = textWith("processes are unable to reach each other", log);
  constexpr const char* kOnHost = "is on host:";
  const auto second = std::find_if(text.begin(), text.end(),
                                   [](const auto& line) { return line.starts_with("  Process 2 "); });
  const std::string one = after(kOnHost, text), other = after(kOnHost, {second, text.end()});
  if (one.empty() || other.empty()) return std::nullopt;
  return Apart{one, other, after("BTLs attempted:", text)};
}

/// Ranks of a host share a file. Open MPI goes on without it where another way is left.
std::optional<MpiLack> noSharedRoom(const Lines& log) {
  const std::string label = "there is not enough space for ";
  const Lines text = textWith(label, log);
  std::string file = after(label, text);
  file = file.substr(0, file.find(" ("));
  const std::string host = after("Local host:", text);
  const auto apart = unreached(log);
  if (file.empty() || !apart || apart->first != host || apart->second != host) return std::nullopt;
  return MpiLack{host,
                 fmt::format("{} takes {}, and its folder has room for {}", file,
                             after("Space Requested:", text), after("Space Available:", text)),
                 fmt::format("make room in {}", std::filesystem::path(file).parent_path().string())};
}

std::optional<MpiLack> noRoomOfPmix(const Lines& log) {
  const std::string host = hostSaying("PMIX ERROR: OUT-OF-RESOURCE", log);
  if (host.empty()) return std::nullopt;
  return MpiLack{host, "there is no room for the files that its ranks share",
                 "make room in the folder that TMPDIR names, or in /tmp where it names none"};
}

/// Open MPI warns of such a network, and then ignores it. It is told of where no other way was left.
std::optional<MpiLack> noInterface(const Lines& log) {
  const std::string label = "An invalid value was given for ";
  const Lines text = textWith(label, log);
  const auto apart = unreached(log);
  if (text.empty() || !apart) return std::nullopt;
  const std::string named = after(label, text), key = named.substr(0, named.find('.'));
  return MpiLack{
      after("Local host:", text),
      fmt::format("no interface is in {} = {} ({})", key, after("Value:", text), after("Message:", text)),
      fmt::format("see that OMPI_MCA_{} names a network that every host has an interface of", key)};
}

std::optional<MpiLack> noWay(const Lines& log) {
  const auto apart = unreached(log);
  if (!apart) return std::nullopt;
  const bool isOne = apart->first == apart->second;
  return MpiLack{
      isOne ? apart->first : "",
      fmt::format("no message can go between {} (tried: {})",
                  isOne ? "two ranks of one host" : apart->first + " and " + apart->second, apart->tried),
      isOne ? "see that /dev/shm can be written"
            : "see that OMPI_MCA_btl_tcp_if_include names a network that both are in",
      true};
}

std::optional<MpiLack> noComponent(const Lines& log) {
  const Lines text = textWith("A requested component was not found", log);
  const std::string framework = after("Framework:", text), component = after("Component:", text);
  if (framework.empty() || component.empty()) return std::nullopt;
  return MpiLack{after("Host:", text),
                 fmt::format("Open MPI has no component '{}' of its framework {}", component, framework), "",
                 true};
}

/// "mca_pml_base_open() failed: Not found", which the text about a failed start ends with.
std::optional<MpiLack> failedPart(const Lines& log) {
  MpiLack lack;
  for (const char* words : {"orte_init failed", "MPI_INIT failed"}) {
    const Lines text = textWith(words, log);
    const auto part = std::find_if(
        text.begin() + (text.empty() ? 0 : 1), text.end(),
        [](const std::string& line) { return line.starts_with("  ") && line.ends_with(" failed"); });
    const std::string returned = after("--> Returned", text);
    if (part == text.end() || returned.empty()) continue;
    lack.what = part->substr(2) + ": " + returned.substr(0, returned.find(" instead of"));
    break;
  }
  for (const char* words : {"An error occurred in MPI_Init", "before MPI_INIT completed", "ORTE_ERROR_LOG"})
    if (lack.host.empty()) lack.host = hostSaying(words, log);
  return lack.host.empty() && lack.what.empty() ? std::nullopt : std::optional(lack);
}

}  // namespace

std::string hostBefore(const std::string& line) {
  const auto colon = line.find(':'), end = line.find(']');
  if (line.empty() || line.front() != '[' || colon == std::string::npos || end == std::string::npos ||
      colon < 2 || end < colon + 2)
    return "";
  const std::string number = line.substr(colon + 1, end - colon - 1);
  return std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c) != 0; })
             ? line.substr(1, colon - 1)
             : "";
}

std::optional<MpiLack> whatMpiLacks(const std::vector<std::string>& log) {
  for (const auto lack :
       {unlikeVersions, noFolder, noSharedRoom, noRoomOfPmix, noInterface, noWay, noComponent, failedPart})
    if (auto found = lack(log)) return found;
  return std::nullopt;
}

}  // namespace halo
