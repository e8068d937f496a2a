#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <map>
#include <set>

#include "app/program/known.h"
#include "engine/experiment/experiment.h"
#include "tests/support/pages.h"
#include "tests/support/process.h"
#include "tests/support/prose.h"

using namespace halo;
namespace fs = std::filesystem;

namespace {

bool isWordPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Runs of letters, digits and `_`; with hyphens inside if `joined`.
std::vector<std::string> wordsIn(const std::string& text, bool joined) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool isHyphen = joined && text[i] == '-' && i > 0 && isWordPart(text[i - 1]);
    if (isWordPart(text[i]) || isHyphen)
      words.back() += text[i];
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// Every word of the sources and of the files that ship, and their names; pages themselves apart.
const std::set<std::string>& vocabulary() {
  static const std::set<std::string> words = [] {
    std::set<std::string> allWords;
    const auto add = [&](const std::string& text) {
      for (const bool joined : {false, true})
        for (std::string& word : wordsIn(text, joined)) allWords.insert(std::move(word));
    };
    const fs::path root = kSourceDir;
    for (const char* folder :
         {"app", "datasets", "engine", "packaging", "resources", "simulator", "tests", "views"})
      for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        const fs::path& file = entry.path();
        add(fs::relative(file, root).string());
        const std::string ending = file.extension().string();
        const bool isText = ending == ".cpp" || ending == ".h" || ending == ".toml" || ending == ".txt" ||
                            ending == ".cmake" || ending == ".sh" || ending.empty();
        const std::string below = fs::relative(file, root).string();
        // the checks themselves name what must not be named elsewhere
        if (entry.is_regular_file() && isText && below.rfind("tests/data", 0) != 0) add(pageText(below));
      }
    add(pageText("CMakeLists.txt") + pageText("CMakePresets.json") + pageText("tests/CMakeLists.txt"));
    return allWords;
  }();
  return words;
}

/// Names of other programs and libraries that our pages use and our sources do not.
const std::set<std::string> kOfOthers = {"backup",   "clang-format",  "deb",
                                         "read_csv", "sched_setattr", "vacuum"};

/// Whether the sources have the word: whole, as the beginning or end of a longer one (`tile_rows_…`), with
/// the width that a factor was counted for (`…_width_4`), or before a compound of theirs
/// (`largest_labels_per_vertex`).
bool isKnown(std::string word) {
  const std::set<std::string>& words = vocabulary();
  const auto begins = [&](const std::string& stem) {
    const auto next = words.lower_bound(stem);
    return next != words.end() && next->rfind(stem, 0) == 0;
  };
  if (words.count(word) > 0 || kOfOthers.count(word) > 0) return true;
  if (const auto width = word.rfind("_width_"); width != std::string::npos)
    return begins(word.substr(0, width));
  if (word.back() == '_') return begins(word) || begins(word.substr(0, word.size() - 1));
  if (word.front() == '_')
    return std::any_of(words.begin(), words.end(), [&](const std::string& candidate) {
      return candidate.size() > word.size() &&
             candidate.compare(candidate.size() - word.size(), word.size(), word) == 0;
    });
  const auto first = word.find('_');
  return first != std::string::npos && words.count(word.substr(0, first)) > 0 &&
         word.find('_', first + 1) != std::string::npos && words.count(word.substr(first + 1)) > 0;
}

/// A word that stands for what the reader puts there: NAME, DIR, i, s_ij, P/c.
bool isMetavariable(const std::string& word) {
  return word.size() < 3 ||
         std::none_of(word.begin(), word.end(), [](unsigned char c) { return std::islower(c); }) ||
         std::isdigit(static_cast<unsigned char>(word[0])) != 0;
}

/// Of every section the keys that may stand in it, with those of methods and partitioners.
std::map<std::string, std::set<std::string>, std::less<>> keysBySection(const Known& declarations) {
  std::map<std::string, std::set<std::string>, std::less<>> keys;
  const auto add = [&](const std::string& section, const Declaration& declaration) {
    for (const Parameter& parameter : declaration.parameters) keys[section].emplace(parameter.key);
  };
  for (const Declaration& section : sections()) add(std::string(section.name), section);
  for (const Declaration& method : declarations.methods) add("run", method);
  for (const Declaration& partitioner : declarations.partitioners) add("partition", partitioner);
  keys["run"].insert({"method", "KEY"});
  return keys;
}

/// What each key with a choice may be, of all declarations that have it.
std::map<std::string, std::set<std::string>> choices(const Known& declarations) {
  std::map<std::string, std::set<std::string>> options;
  std::set<std::string> free;
  const auto add = [&](const Declaration& declaration) {
    for (const Parameter& parameter : declaration.parameters) {
      const std::string key(
          parameter.key.substr(parameter.key.find_last_of('.') + 1));  // of `pipeline.ordering`
      if (const auto* choice = std::get_if<Choice>(&parameter.type))
        options[key].insert(choice->options.begin(), choice->options.end());
      else
        free.insert(key);
    }
  };
  for (const Declaration& section : sections()) add(section);
  for (const auto* list : {&declarations.methods, &declarations.partitioners, &declarations.layers})
    for (const Declaration& declaration : *list) add(declaration);
  for (const SimulationKind& kind : declarations.simulations) {
    add(kind.declaration);
    for (const FigureKey& key : kind.figures)
      for (const Declaration& model : key.models) add(model);
  }
  for (const std::string& key : free) options.erase(key);
  return options;
}

/// Of the options that a command's help calls required: the long name and the short one, if it has any.
std::vector<std::set<std::string>> requiredOptions(const std::string& help) {
  std::vector<std::set<std::string>> required;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find_first_not_of(' ');
    if (begin == std::string::npos || line[begin] != '-' || line.find(" REQUIRED") == std::string::npos)
      continue;
    std::istringstream names(line.substr(begin, line.find(' ', begin) - begin));
    required.emplace_back();
    for (std::string name; std::getline(names, name, ',');) required.back().insert(name);
  }
  return required;
}

/// `haloscope COMMAND --option …`: what is wrong with it; empty if nothing. A command with
/// what it is for, as a run, has all options that it needs, or none.
std::string wrongCommand(const std::string& line) {
  static std::map<std::string, std::string> help;
  const auto ask = [](const std::vector<std::string>& words) -> const std::string& {
    std::vector<std::string> arguments = {std::string(kBinDir) + "/haloscope"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    arguments.push_back("--help");
    std::string key;
    for (const std::string& word : words) key += word + " ";
    auto& text = help[key];
    if (text.empty()) text = test::run(arguments).out;
    return text;
  };
  std::istringstream in(line.substr(0, line.find_first_of("#|>")));
  std::string program, command, sub, word;
  in >> program >> command;
  if (command.empty() || isMetavariable(command) || command[0] == '-' || command[0] == '"') return "";
  if (ask({}).find("\n  " + command + " ") == std::string::npos) return "no command " + command;
  std::vector<std::string> path = {command};
  std::set<std::string> named;
  bool isWhole = false;
  while (in >> word) {
    isWhole |= named.empty() && word[0] != '-';
    if (word[0] == '-') named.insert(word.substr(0, word.find('=')));
    if (command == "dataset" && path.size() == 1 && word[0] != '-') path.push_back(word);
    if (word.rfind("--", 0) != 0) continue;
    const std::string option = word.substr(0, word.find('='));
    if (ask({}).find("  " + option) == std::string::npos && ask(path).find(option) == std::string::npos)
      return "no option " + option;
  }
  const std::vector<std::set<std::string>> required = requiredOptions(ask(path));
  const auto isNamed = [&](const std::set<std::string>& names) {
    return std::ranges::any_of(names, [&](const std::string& name) { return named.contains(name); });
  };
  if (const auto absent = std::ranges::find_if_not(required, isNamed);
      isWhole && absent != required.end() && std::ranges::any_of(required, isNamed))
    return "without " + *absent->begin();
  return "";
}

/// What of a span of code does not exist; empty if all does.
std::string unknownIn(const std::string& code) {
  static const Known declarations = knownHere();
  static const auto keys = keysBySection(declarations);
  static const auto options = choices(declarations);
  if (code.rfind("haloscope ", 0) == 0) return wrongCommand(code);
  for (const char* folder :
       {"app/", "datasets/", "engine/", "packaging/", "resources/", "simulator/", "tests/", "views/"})
    if (code.rfind(folder, 0) == 0 && code.find_first_of("*… ") == std::string::npos &&
        code.find("NAME") == std::string::npos)
      return fs::exists(fs::path(kSourceDir) / code) ? "" : "no file " + code;
  if (const auto equals = code.find(" = \""); equals != std::string::npos) {
    const auto key = code.substr(0, equals);
    const auto begin = equals + 4;
    const std::string value = code.substr(begin, code.find('"', begin) - begin);
    const auto choice = options.find(key.substr(key.find_last_of(". ") + 1));
    if (choice != options.end() && !isMetavariable(value) && choice->second.count(value) == 0)
      return code + " is no choice";
  }
  // a column of table `run`, or a file `run.sh`, is no key of that section
  if (const auto dot = code.find('.'); dot != std::string::npos && code.rfind("run.", 0) != 0)
    if (const auto section = keys.find(code.substr(0, dot)); section != keys.end()) {
      const std::vector<std::string> rest = wordsIn(code.substr(dot), false);
      const bool isColumn = code.find("_ns") != std::string::npos;  // `epoch` and `layer` are no sections
      if (!rest.empty() && !isColumn && code.find('*') == std::string::npos &&
          section->second.count(rest[0]) == 0)
        return "no key " + code;
    }
  const bool isName = code.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos;
  if (isName && !isMetavariable(code)) {
    const std::string name = code.substr(std::min(code.find_first_not_of('-'), code.size()));
    return name.empty() || isKnown(name) ? "" : code;
  }
  for (const std::string& word : wordsIn(code, false))
    if (!isMetavariable(word) && !isKnown(word)) return word;
  return "";
}

}  // namespace

TEST_CASE("names that nobody knows are found in code on a page", "[manual]") {
  CHECK(unknownIn("pipegcn").empty());
  CHECK(unknownIn("smoothing = \"none\"").empty());
  CHECK(unknownIn("training.epochs").empty());
  CHECK(unknownIn("haloscope compare --gate FILE").empty());
  const std::string absent = std::string("pipe") + "gnc";  // in two parts, or this file would know it
  CHECK(unknownIn(absent) == absent);
  CHECK_FALSE(unknownIn("smoothing = \"nothing\"").empty());
  CHECK_FALSE(unknownIn("training." + absent).empty());
  CHECK_FALSE(unknownIn("haloscope compare --" + absent).empty());
  CHECK_FALSE(unknownIn("haloscope " + absent).empty());
  CHECK(unknownIn("haloscope export last --format csv") == "without --output");
  CHECK(unknownIn("haloscope export last --format csv -o tables").empty());
  CHECK_FALSE(unknownIn("engine/" + absent + ".cpp").empty());
}

TEST_CASE("every file, key, method and command that a page names in code exists", "[manual]") {
  for (const fs::path& name : allPages()) {
    if (name == "CHANGELOG.md") continue;  // it tells of what is gone, too
    for (const Mark& code : readMarkdown(pageText(name)).codes) {
      CAPTURE(name.string(), code.line, code.text);
      CHECK(unknownIn(code.text) == "");
    }
  }
}

TEST_CASE("every command line on a page has a command and options that exist", "[manual]") {
  for (const fs::path& name : allPages())
    for (const Fence& fence : readMarkdown(pageText(name)).fences) {
      std::istringstream lines(fence.text);
      for (std::string line; std::getline(lines, line);) {
        if (line.rfind("$ ", 0) == 0) line = line.substr(2);
        if (line.rfind("haloscope ", 0) != 0) continue;
        CAPTURE(name.string(), fence.line, line);
        CHECK(wrongCommand(line) == "");
      }
    }
}
