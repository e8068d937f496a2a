// A partition made elsewhere: a text file with the part of vertex v, a number from 0, on line v + 1
// (what METIS's gpmetis writes); packed, or with a byte order mark, as any text that is read.
#include <unistd.h>

#include <charconv>
#include <filesystem>

#include "datasets/text/text.h"
#include "engine/base/problem.h"
#include "engine/partition/contract/partitioner.h"

namespace halo {
namespace {

constexpr Parameter kParameters[] = {
    {"path", "file with the part of each vertex, one number a line", Text{""}},
};
constexpr std::size_t kProblemsShown = 20;  // a wrong file is wrong on every line

/// The part that `line` names, or in `wrong` why it names none.
std::int32_t readPart(std::string_view line, int parts, std::string& wrong) {
  constexpr std::string_view kBlank = " \t\r";
  const auto begin = line.find_first_not_of(kBlank);
  const std::string_view word =
      begin == line.npos ? std::string_view{} : line.substr(begin, line.find_last_not_of(kBlank) - begin + 1);
  std::int32_t part = -1;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), part);
  if (code == std::errc{} && end == word.data() + word.size() && part >= 0 && part < parts) return part;
  wrong = "'" + std::string(word) + "' cannot be used; the part of a vertex, a number from 0 to " +
          std::to_string(parts - 1);
  return 0;
}

Owners fromFile(const Csr& arcs, const PartitionRequest& request) {
  const std::string& path = request.parameters.text("path");
  if (path.empty())
    throw InputError(
        {{}, 0, 0, "partition.path", "missing; the file with the part of each vertex, one number a line"});
  // not opened to see: it may be a pipe
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored) || ::access(path.c_str(), R_OK) != 0)
    throw InputError(
        {path, 0, 0, "partition.path", "cannot be read; a text file with one part number a line"});
  TextFile file(path);

  Owners owners;
  std::vector<Problem> problems;
  bool more = false;  // lines than vertices; how many is not counted, for there may be no end of them
  for (std::string_view line; problems.size() < kProblemsShown && file.next(line);) {
    more = file.line() > arcs.rows();
    if (more) break;
    std::string wrong;
    owners.push_back(readPart(line, request.parts, wrong));
    if (!wrong.empty()) problems.push_back({path, file.line(), 0, {}, wrong});
  }
  const auto read = static_cast<Index>(owners.size());
  if (problems.size() < kProblemsShown && (more || read < arcs.rows()))
    problems.push_back({path,
                        0,
                        0,
                        {},
                        (more ? "more than " : "") + std::to_string(read) + " lines, but the graph has " +
                            std::to_string(arcs.rows()) + " vertices; one line for each"});
  if (!problems.empty()) throw InputError(std::move(problems));
  return owners;
}

const Registered<PartitionerEntry> self{
    {.declaration = {"file", "a partition read from a file", "METIS manual, partition file", kParameters},
     .partition = fromFile,
     .given = true}};

}  // namespace
}  // namespace halo
