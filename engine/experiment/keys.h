#pragma once

// Inside engine/experiment: what a key of the experiment file is. Its row in sections.cpp stands alone. The
// parser, the help, the form, the JSON, the flattened name and the line of the manual follow from that row.

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/experiment/read_value.h"

namespace halo {

/// A file or folder, which the experiment file names relative to itself.
struct FileName {
  std::string* path;
};
/// How many of them are recorded (StepOf); a run keeps the number.
struct RecordStep {
  std::int64_t* every;
  StepOf counted;
};

/// Where a run keeps the value of a key. The type says how the value is written, checked and told.
/// A flag whose parameter is a choice is on for the second option. A list is one of hosts.
using Member = std::variant<bool*, std::int64_t*, std::uint64_t*, double*, std::string*, FileName, RecordStep,
                            std::vector<std::string>*, LinkSettings*>;

/// The declarations that a text may name, and what messages call one of them: "a layer kind".
struct Names {
  const char* what = nullptr;
  std::vector<Declaration> Known::*declared = nullptr;
};

/// One key, declared once.
struct Key {
  /// The default is the member's in RunSettings(). A text's stands here where the member is empty there.
  Parameter parameter;
  Member (*member)(RunSettings&) = nullptr;  // none: another key's member keeps what this one says
  Names names = {};
  std::string (*wrong)(const std::string& text) = nullptr;  // why a text cannot be used; "": it can

  std::string_view name() const { return parameter.key; }
};

/// A table of the file, as it is declared in sections.cpp.
struct SectionRows {
  std::string_view name, help;
  std::span<const Key> keys;
};
/// The same with the defaults filled in. Not copied: the declaration refers to the parameters.
struct Section {
  explicit Section(const SectionRows& rows);
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

  std::vector<Key> keys;
  std::vector<Parameter> parameters;
  Declaration declaration;
};

/// What a file says of itself above all tables, besides `schema` and `fair`.
std::span<const Parameter> generalKeys();
/// Every section in the order of the help.
const std::deque<Section>& keyedSections();
/// What every [[run]] has besides the keys of its method.
const Section& runSection();
/// nullptr: there is no such section, or it has no such key. "run" is runSection().
const Key* keyNamed(std::string_view section, std::string_view key);

/// A section that the file has while this object lives: for tests that declare keys of their own.
class AddedSection {
 public:
  explicit AddedSection(const SectionRows& rows);
  ~AddedSection();
  AddedSection(const AddedSection&) = delete;
  AddedSection& operator=(const AddedSection&) = delete;
};

/// Why a text names none of the declarations; "": it does. `kind` is what messages call one.
std::string notAmong(const std::vector<Declaration>& declarations, const std::string& name,
                     const std::string& kind);
/// What a person may choose from, where that is a list of names. Other texts may be allowed too.
std::vector<std::string> namesFor(const Key& key, const Known& known);
/// The value of a run as the file would write it. The key has a member.
std::string writtenText(const Key& key, const RunSettings& run);
/// The member of a run that is only read.
Member memberOf(const Key& key, const RunSettings& run);

/// A key of the table that describes an interconnect: { bandwidth_gbit = 10.0, latency_us = 20.0 }.
struct LinkKey {
  Parameter parameter;
  /// None: `per` follows from ranks_per_host.
  std::variant<std::monostate, double LinkSettings::*, std::int64_t LinkSettings::*> member = {};
  bool always = false;  // written also where it is 0

  std::string_view name() const { return parameter.key; }
};
std::span<const LinkKey> linkKeys();
/// The keys that describe an emulated link, with their values as the file writes them.
std::vector<std::pair<std::string, std::string>> linkFigures(const LinkSettings& link);

/// A key of a table whose values are no parameters, as the manual and messages have it.
struct TableKey {
  std::string_view name;
  std::string_view byDefault;  // as the file writes it; "": it has none
  std::string_view allowed, help;
};
/// Those of [[published]].
std::span<const TableKey> publishedKeys();

/// One function for each alternative of a variant.
template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

}  // namespace halo
