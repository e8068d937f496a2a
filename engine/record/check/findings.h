#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/record/database/database.h"

namespace halo {

/// What check found, a sentence each: of one kind the first few, and how many more there are. What the file
/// says of itself is made `visible` here.
class Findings {
 public:
  /// `kind` tells apart what is counted together; `place` may be empty: it is of the whole run.
  void add(std::string_view kind, std::int64_t run, const std::string& place, const std::string& sentence);
  /// What keeps a part of the file from being relied on.
  void addDamage(const std::string& sentence);
  /// What keeps a part of the file from being read at all; of a run, or of the whole file where 0. To be
  /// called while the error is handled: it is thrown again where it is not the file's fault.
  void addDamage(const RecordError& error, std::int64_t run = 0);
  /// Nothing is wrong, but it is worth knowing.
  void addNote(std::int64_t run, const std::string& sentence);

  std::vector<std::string> faults() const;
  const std::vector<std::string>& notes() const { return notes_; }
  bool damaged() const { return damaged_; }

 private:
  struct Group {
    std::vector<std::string> shown;
    std::int64_t more = 0;
    std::set<std::int64_t> runsOfMore;
  };
  Group& group(std::string_view kind);

  std::vector<Group> groups_;  // in the order in which they were met
  std::map<std::string, std::size_t, std::less<>> kinds_;
  std::vector<std::string> notes_;
  bool damaged_ = false;
};

}  // namespace halo
