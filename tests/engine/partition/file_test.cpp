// The partitioner `file`: what it reads, from where, and what it answers to wrong ones.

#include <signal.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <fstream>
#include <thread>

#include "engine/base/problem.h"
#include "engine/partition/contract/given_partition.h"
#include "tests/support/scratch.h"
#include "tests/support/small_graphs.h"

namespace halo {
namespace {

/// The path of a new file with this content.
std::string write(const Scratch& scratch, const std::string& name, const std::string& content) {
  const std::string path = scratch / name;
  std::ofstream(path) << content;
  return path;
}

PartitionRequest fileRequest(const std::string& path, int parts) {
  PartitionRequest request;
  request.parts = parts;
  request.parameters.emplace("path", path);
  return request;
}

std::vector<std::string> complaints(const Csr& graph, const PartitionRequest& request) {
  try {
    partition(graph, "file", request);
  } catch (const InputError& error) {
    std::vector<std::string> texts;
    for (const Problem& problem : error.problems()) texts.push_back(describe(problem));
    return texts;
  }
  return {};
}

}  // namespace

TEST_CASE("a partition is read from a file, a part a line", "[partition][file]") {
  const Scratch scratch;
  const std::string file = write(scratch, "parts", "1\n0\r\n 2 \n0");
  CHECK(partition(path(4), "file", fileRequest(file, 3)) == Owners{1, 0, 2, 0});
  const std::string marked = write(scratch, "marked",
                                   "\xef\xbb\xbf"
                                   "1\r\n0\r\n2\r\n");
  CHECK(partition(path(3), "file", fileRequest(marked, 3)) == Owners{1, 0, 2});
  const std::string twice = write(scratch, "twice",
                                  "\xef\xbb\xbf\xef\xbb\xbf"
                                  "1\n0\n");
  CHECK(complaints(path(2), fileRequest(twice, 2)).size() == 1);
}

TEST_CASE("a wrong partition file is answered with file, line and what would be right", "[partition][file]") {
  const Scratch scratch;
  const std::string file = write(scratch, "wrong", "0\ntwo\n3\n\n-1\n1.5\n0\n");
  CHECK(complaints(path(6), fileRequest(file, 3)) ==
        std::vector<std::string>{
            file + ":2:1: 'two' cannot be used; the part of a vertex, a number from 0 to 2",
            file + ":3:1: '3' cannot be used; the part of a vertex, a number from 0 to 2",
            file + ":4:1: '' cannot be used; the part of a vertex, a number from 0 to 2",
            file + ":5:1: '-1' cannot be used; the part of a vertex, a number from 0 to 2",
            file + ":6:1: '1.5' cannot be used; the part of a vertex, a number from 0 to 2",
            file + ": more than 6 lines, but the graph has 6 vertices; one line for each",
        });
  const std::string tooShort = write(scratch, "short", "0\n1\n");
  CHECK(complaints(path(3), fileRequest(tooShort, 2)) ==
        std::vector<std::string>{tooShort + ": 2 lines, but the graph has 3 vertices; one line for each"});
  CHECK(
      complaints(path(3), fileRequest("/nonexistent/parts.txt", 2)) ==
      std::vector<std::string>{
          "/nonexistent/parts.txt: partition.path: cannot be read; a text file with one part number a line"});
  CHECK(
      complaints(path(3), fileRequest("/", 2)) ==
      std::vector<std::string>{"/: partition.path: cannot be read; a text file with one part number a line"});
  CHECK(complaints(path(3), fileRequest("", 2)) ==
        std::vector<std::string>{
            "partition.path: missing; the file with the part of each vertex, one number a line"});
}

TEST_CASE("a partition file is looked at before, with the column", "[partition][file]") {
  const Scratch scratch;
  const auto problemsIn = [&](const std::string& content, Index vertices) {
    std::string all;
    const std::string file = write(scratch, "p.txt", content);
    std::vector<std::string> remarks;
    for (const Problem& problem : partitionFileProblems("file", fileRequest(file, 2), vertices, remarks))
      all += describe(problem).substr(file.size()) + ";";
    for (const std::string& remark : remarks) all += "remark" + remark.substr(file.size()) + ";";
    return all;
  };
  CHECK(problemsIn("0\n1\n", 2).empty());
  CHECK(problemsIn("0\n  2\n", 2) == ":2:3: '2' cannot be used; the part of a vertex, a number from 0 to 1;");
  CHECK(problemsIn("0,1\n", 1) == ":1:1: '0,1' cannot be used; the part of a vertex, a number from 0 to 1;");
  CHECK(problemsIn("0\n", 3) == ": 1 lines, but the graph has 3 vertices; one line for each;");
  CHECK(problemsIn("0\n", 0).empty());  // vertices are not known
  CHECK(problemsIn("0\n0\n", 2) == "remark: 1 of 2 parts have no vertex, the first of them 1;");
  std::vector<std::string> remarks;
  CHECK(partitionFileProblems("random", fileRequest("/nowhere", 2), 2, remarks).empty());
}

TEST_CASE("a partition is read from a pipe, which can be opened only once", "[partition]") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const std::string parts = "1\n0\n2\n0\n";
  REQUIRE(::write(ends[1], parts.data(), parts.size()) == static_cast<ssize_t>(parts.size()));
  ::close(ends[1]);
  CHECK(partition(path(4), "file", fileRequest("/dev/fd/" + std::to_string(ends[0]), 3)) ==
        Owners{1, 0, 2, 0});
  ::close(ends[0]);
}

TEST_CASE("a partition is not read on after a line more than vertices, of which there may be no end",
          "[partition][file]") {
  constexpr std::size_t kMost = std::size_t{64} << 20;  // far more than a pipe and a reader's buffer hold
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  std::size_t written = 0;
  std::thread writer([&] {
    sigset_t closed;  // answered by the error that write returns
    sigemptyset(&closed);
    sigaddset(&closed, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &closed, nullptr);
    std::string lines;
    while (lines.size() < 4096) lines += "0\n";
    for (ssize_t more = 0; more >= 0 && written<kMost; written += more> 0 ? lines.size() : 0)
      more = ::write(ends[1], lines.data(), lines.size());
    ::close(ends[1]);
  });
  const std::string file = "/dev/fd/" + std::to_string(ends[0]);
  CHECK(complaints(path(4), fileRequest(file, 2)) ==
        std::vector<std::string>{file +
                                 ": more than 4 lines, but the graph has 4 vertices; one line for each"});
  ::close(ends[0]);
  writer.join();
  CHECK(written < kMost);
}

}  // namespace halo
