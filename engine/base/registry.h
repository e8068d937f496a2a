#pragma once

#include <map>
#include <source_location>
#include <string>
#include <vector>

#include "engine/base/check.h"

namespace halo {

/// The files that registered something, for the test that the linker dropped none.
inline std::vector<std::string>& registeringFiles() {
  static std::vector<std::string> files;
  return files;
}

/// Everything of kind `Entry`, in name order. `Entry` has a `declaration.name`.
template <class Entry>
std::map<std::string, Entry>& registry() {
  static std::map<std::string, Entry> entries;
  return entries;
}

/// A file-level constant of this type adds `entry`; two of one name stop the program at its start.
template <class Entry>
struct Registered {
  explicit Registered(Entry entry, std::source_location where = std::source_location::current()) {
    registeringFiles().push_back(where.file_name());
    const std::string name(entry.declaration.name);
    const bool isNew = registry<Entry>().emplace(name, std::move(entry)).second;
    HALO_CHECK(isNew && "two entries of one name");
  }
};

/// The entry called `name`, or nullptr.
template <class Entry>
const Entry* find(const std::string& name) {
  const auto entry = registry<Entry>().find(name);
  return entry == registry<Entry>().end() ? nullptr : &entry->second;
}

}  // namespace halo
