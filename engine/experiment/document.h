#pragma once

// Inside engine/experiment: an experiment file as written, key by key, before runs are made of it.

#include <deque>
#include <functional>

#include "engine/experiment/keys.h"
#include "engine/experiment/published.h"
#include "engine/experiment/read_value.h"

namespace halo {

/// One `key = value`, wherever it stands.
struct Assignment {
  enum class Scope { file, sweep, run, set };  // a later one wins
  std::string key;                             // "model.kind"; a method's own: "run.smoothing"
  const toml::node* node = nullptr;
  Problem at;     // place of the value, key as messages show it; no message
  Problem keyAt;  // place of the key
  Scope scope = Scope::file;
  std::optional<Value> value;  // of keys that do not depend on a method or partitioner
  bool used = false;           // some run's method or partitioner declares this key

  std::string section() const { return key.substr(0, key.find('.')); }
  std::string leaf() const { return key.substr(key.find('.') + 1); }
};

/// A [[run]] or [[simulate]].
struct RunTable {
  Problem at;
  std::vector<Assignment> assignments;
  std::vector<std::vector<Assignment>> sweeps;  // of [[simulate]]: keys with a list, an alternative each
};

/// A table of [[published]] and where its parts stand in the file.
struct PlacedPublished {
  Published figure;
  Problem at;
  bool sound = true;                     // read without a problem
  std::map<std::string, Problem> keyAt;  // by key, of those that are given
  std::map<std::string, Problem> numeratorAt,
      overAt;                                 // by the condition's key; those of `over` that it names itself
  std::map<std::string, Problem> assumingAt;  // by key
};

struct Document {
  std::string file;
  std::filesystem::path folder;
  std::string name, notes;
  std::vector<std::string> tags;
  std::optional<Problem> fair;  // where it is asked for
  std::vector<Assignment> base, set;
  std::vector<RunTable> runs;
  std::vector<RunTable> simulations;            // keys "simulate.level", "device.hbm_gbps", "model.layers"
  std::vector<std::vector<Assignment>> sweeps;  // one list of alternatives a swept key
  std::vector<PlacedPublished> published;
  std::vector<Problem> problems;
  std::deque<toml::table> tables;  // what the nodes belong to
};

/// The declaration of a section, or nullptr; "simulate" is none: it is a table that may stand often.
const Declaration* sectionNamed(const std::string& name);
/// Whether its keys are those of [[simulate]] tables: "simulate" itself, tables in them, figures.
bool isSimulateSection(const std::string& section);

/// Takes the text apart; `known` has the kinds of [[simulate]], which say what is a table there. Throws
/// InputError if it is not TOML; other problems are collected in the document.
Document readDocument(const std::string& text, const std::filesystem::path& file, const Known& known,
                      const std::vector<Override>& set);

/// Finds what one run cannot be, by its settings together and by what is on the disk.
class Combinations {
 public:
  /// The assignment that settled a key for the run, or nullptr where the default did.
  using Lookup = std::function<const Assignment*(const std::string& key)>;

  /// table: the place of its [[run]], for keys that nobody wrote.
  Combinations(const RunSettings& run, const Known& known, const Lookup& settledBy, const Problem& table,
               std::vector<Problem>& problems)
      : run_(run), known_(known), settledBy_(settledBy), table_(table), problems_(problems) {}
  void check();

 private:
  void wrong(const std::string& key, std::string message);
  void workers();
  void method();
  void hosts();
  void wire();
  void model();
  void keyOfAnotherKind(const std::string& key, const Declaration* kind);
  void loss();
  void seeds();
  void format();
  void files();
  void requireFile(const std::string& key, const std::string& path, const std::string& kind);

  const RunSettings& run_;
  const Known& known_;
  const Lookup& settledBy_;
  const Problem& table_;
  std::vector<Problem>& problems_;
};

/// The figures of [[published]], a node of the text; what is wrong with a table by itself is added to the
/// problems. How a value is rounded is seen from the digits that the text has of it.
std::vector<PlacedPublished> publishedOf(const toml::node& node, const std::string& text,
                                         const std::string& file, std::vector<Problem>& problems);

/// What is wrong with the figures beside the runs of the file. A metric may not exist, conditions may be met
/// by no run or by several, and a band may break its rules (band.h). `metrics` empty: any may be named;
/// `runs`, the flat() of each run and simulation, empty: conditions are not looked at.
void checkPublished(const std::vector<PlacedPublished>& published, const std::vector<std::string>& metrics,
                    const std::vector<std::map<std::string, std::string>>& runs,
                    std::vector<Problem>& problems);

/// Files are named relative to the experiment file.
std::string resolvedFrom(const std::filesystem::path& folder, const std::string& path);

/// Sets every member of a run that keeps a key of these sections: their values, by the section's name.
void fillSections(const std::map<std::string, Values>& valuesOf,
                  const std::map<std::string, LinkSettings>& links, const std::filesystem::path& folder,
                  RunSettings& run);

/// What settled each key of one run.
using Effective = std::map<std::string, Assignment*>;

/// One choice among the alternatives of every swept key.
struct Combination {
  Effective effective;
  /// Swept keys with another than their first alternative: who does not have such a key has had this already.
  std::vector<const Assignment*> later;
};
/// Every combination for one table, last key fastest. A later word wins: sections, [sweep], the table with
/// its lists, --set; a key that the table or --set settles is not swept. `concerns`: whether the swept key
/// matters to the table.
void eachCombination(Document& document, RunTable& table,
                     const std::function<bool(const Assignment&)>& concerns,
                     const std::function<void(const Combination&)>& use);
/// How many that are, at most: where no table settles a swept key.
double combinations(const Document& document, const RunTable& table,
                    const std::function<bool(const Assignment&)>& concerns);

/// Counts what layering a file takes: every combination goes through all keys of the file.
class LayeringCost {
 public:
  explicit LayeringCost(const Document& document);
  /// So many combinations more of a table.
  void add(const RunTable& table, double combinations);
  bool tooMuch() const;
  /// What is then wrong, of "runs" or "simulations".
  Problem problem(const std::string& subjects) const;

 private:
  std::string file_;
  double keys_ = 0, cost_ = 0;
};

/// The parameters of a method or partitioner (nullptr: unknown, which is the problem, not they), complete;
/// from the keys of `section` that are not `others`. What is wrong is added.
Values ownParameters(const Declaration* declaration, const Effective& effective, const std::string& section,
                     const std::function<bool(const Assignment&)>& others,
                     const std::filesystem::path& folder, std::vector<Problem>& problems);

/// A preset's name, or the name of the link that a table makes, which is added to `links`.
std::optional<Value> readLinkValue(const toml::node& node, std::map<std::string, LinkSettings>& links,
                                   std::string& wrong);

/// The value that the key makes of `node`; or nullopt, and in `wrong` what is wrong and what is allowed. A
/// link that is written as a table is added to `links`.
std::optional<Value> readKey(const Key& key, const toml::node& node, const Known& known,
                             std::map<std::string, LinkSettings>& links, std::string& wrong);
const Parameter* parameterNamed(std::span<const Parameter> parameters, const std::string& key);
const Declaration* declarationNamed(const std::vector<Declaration>& all, const std::string& name);
/// A key in a run's name, of all that `effective` settles. It is the key's last part, with its section before
/// it where the last part alone would be read as another key. `method` and `seed` alone are those of
/// training, whether or not they stand in the name.
std::string keyInName(const Assignment& a, const Effective& effective);
/// Whether a run is told from others by it: what its table or a sweep settles.
bool isNamed(const Assignment& a);
/// A value in a run's name: texts without quotes.
std::string withoutQuotes(const std::string& text);
/// A value that stands twice among the alternatives is a problem.
void refuseTwice(const std::vector<Assignment>& options, std::vector<Problem>& problems);

/// Names the data set by dataset.path where that is given; what is wrong with its keys together is added.
void settleDataset(const Values& values, const Effective& effective, const std::filesystem::path& folder,
                   DatasetRequest& dataset, std::vector<Problem>& problems);

/// Adds a problem where dataset.path names nothing that can be read again and again.
void requireDatasetPath(const DatasetRequest& dataset, const Effective& effective,
                        std::vector<Problem>& problems);

/// Every run the document asks for; problems are added to the document's.
std::vector<RunSettings> expand(Document& document, const Known& known);
/// Every simulation, after `expand` has checked the values of the sections.
std::vector<SimulateSettings> expandSimulations(Document& document, const Known& known);

}  // namespace halo
