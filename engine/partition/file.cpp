// A partition made elsewhere: a text file, as METIS's gpmetis writes it. Line v + 1 holds the part of vertex
// v, a number from 0. The file may be packed, or have a byte order mark, as any text that is read.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>

#include "datasets/text/text.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"
#include "engine/partition/contract/given_partition.h"

namespace halo {
namespace {

constexpr Parameter kParameters[] = {
    {"path", "file with the part of each vertex, one number a line", Text{""}},
};
constexpr Index kProblemsShown = 20;  // a wrong file is wrong on every line

/// What stands on a line.
std::string_view wordOf(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  const auto begin = std::min(line.find_first_not_of(kBlank), line.size());
  return line.substr(begin, line.find_last_not_of(kBlank) - begin + 1);
}

/// What a file says, as far as nothing is wrong with it.
struct PartFile {
  Owners owners;
  std::vector<Problem> problems;
};

PartFile readParts(const PartitionRequest& request, Index vertices) {
  PartFile read;
  const std::string& path = request.parameters.text("path");
  const auto wrong = [&](Index line, Index column, const std::string& message) {
    read.problems.push_back({path, line, column, {}, message});
  };
  TextFile file(path);
  bool more = false;  // lines than vertices; how many is not counted, for there may be no end of them
  for (std::string_view line; std::ssize(read.problems) < kProblemsShown && file.next(line);) {
    more = file.line() > vertices;
    if (more) break;
    const std::string_view word = wordOf(line);
    std::int32_t part = -1;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), part);
    const bool isNumber = code == std::errc{} && end == word.data() + word.size();
    if (!isNumber || part < 0 || part >= request.parts)
      wrong(file.line(), word.data() - line.data() + 1,
            shown(word) + " cannot be used; the part of a vertex, a number from 0 to " +
                std::to_string(request.parts - 1));
    read.owners.push_back(part);
  }
  const Index lines = std::ssize(read.owners);
  if (std::ssize(read.problems) < kProblemsShown && (more || lines < vertices))
    wrong(0, 0,
          (more ? "more than " : "") + std::to_string(lines) + " lines, but the graph has " +
              std::to_string(vertices) + " vertices; one line for each");
  return read;
}

/// A file made for fewer parts leaves workers idle.
void remarkEmpty(const std::string& path, const Owners& owners, int parts,
                 std::vector<std::string>& remarks) {
  std::vector<bool> owns(at(parts));
  for (const auto owner : owners) owns[at(owner)] = true;
  const auto empty = std::ranges::count(owns, false);
  if (empty == 0) return;
  const auto first = std::ranges::find(owns, false) - owns.begin();
  remarks.push_back(path + ": " + std::to_string(empty) + " of " + std::to_string(parts) +
                    " parts have no vertex, the first of them " + std::to_string(first));
}

/// Throws InputError where there is no file to read.
void requireReadable(const std::string& path) {
  if (path.empty())
    throw InputError({.file = {},
                      .key = "partition.path",
                      .message = "missing; the file with the part of each vertex, one number a line"});
  // not opened to see: it may be a pipe
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored) || ::access(path.c_str(), R_OK) != 0)
    throw InputError({.file = path,
                      .key = "partition.path",
                      .message = "cannot be read; a text file with one part number a line"});
}

Owners fromFile(const Csr& arcs, const PartitionRequest& request) {
  requireReadable(request.parameters.text("path"));
  PartFile read = readParts(request, arcs.rows());
  if (!read.problems.empty()) throw InputError(std::move(read.problems));
  return std::move(read.owners);
}

const Registered<PartitionerEntry> self{
    {.declaration = {"file", "a partition read from a file", "METIS manual, partition file", kParameters},
     .partition = fromFile,
     .given = true}};

}  // namespace

std::vector<Problem> partitionFileProblems(const std::string& method, PartitionRequest request,
                                           Index vertices, std::vector<std::string>& remarks) {
  if (method != "file") return {};
  request.parameters.merge(fallbacks(kParameters));
  const std::string& path = request.parameters.text("path");
  requireReadable(path);
  std::error_code ignored;  // a pipe can be read only once, by who needs it
  if (vertices == 0 || std::filesystem::is_other(path, ignored)) return {};
  PartFile read = readParts(request, vertices);
  if (read.problems.empty()) remarkEmpty(path, read.owners, request.parts, remarks);
  return std::move(read.problems);
}

}  // namespace halo
