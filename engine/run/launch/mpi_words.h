#pragma once

#include <optional>
#include <string>
#include <vector>

namespace halo {

/// Why ranks, or the daemons that start them, did not come up, as Open MPI's long texts have it.
struct MpiLack {
  std::string host;         // "": not said, or `what` has it
  std::string what;         // "there is no room for …"
  std::string remedy;       // what would be right; "": not known
  bool bySettings = false;  // may follow from the components that the environment chooses
};

/// The host that begins a line of Open MPI's, as in "[nodeb:424] …"; "" for any other.
std::string hostBefore(const std::string& line);

/// Whether it is known what would be right, or what the environment has to do with it.
inline bool isKnown(const MpiLack& lack) { return lack.bySettings || !lack.remedy.empty(); }

/// The first of what is known to keep MPI from starting. It is unlike versions, a folder that cannot be made,
/// or no room for what ranks share. Or it is a network without an interface, no way between two ranks, or a
/// component that is missing.
std::optional<MpiLack> whatMpiLacks(const std::vector<std::string>& log);

}  // namespace halo
