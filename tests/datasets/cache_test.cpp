#include "datasets/cache.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <fstream>

#include "datasets/load.h"
#include "engine/base/philox.h"
#include "tests/datasets/own_cache.h"
#include "tests/support/folder_contents.h"

using namespace halo;

namespace {

Dataset load(const std::filesystem::path& path) {
  DatasetRequest request;
  request.name = path.string();
  return loadDataset(request);
}

std::filesystem::path onlyFile(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  REQUIRE(files.size() == 1);
  return files[0];
}

void overwrite(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

bool remarked(const Dataset& set, const std::string& start) {
  return std::any_of(set.remarks.begin(), set.remarks.end(),
                     [&](const std::string& r) { return r.starts_with(start); });
}

bool sameBits(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

/// A set of every part, features with zeros (also −0) or without.
Dataset sampleSet(bool zeros) {
  Dataset set;
  set.name = "sample";
  const std::vector<Arc> arcs = {{0, 1}, {1, 2}, {2, 0}, {3, 1}};
  set.arcs = buildCsr(5, arcs, false);
  set.features.setZero(5, 40);
  for (Index i = 0; i < set.features.size(); i += zeros ? 17 : 1)
    set.features.data()[i] = static_cast<Scalar>(i) + Scalar{0.5};
  set.features(4, 3) = -Scalar{0};
  set.multiLabels.setZero(5, 3);
  set.multiLabels(1, 2) = 1;
  set.classes = 3;
  set.split = {Split::train, Split::valid, Split::test, Split::none, Split::train};
  set.marks = {"generated split"};
  set.remarks = {"a remark"};
  set.source = "somewhere";
  set.fingerprint = "0123";
  set.directed = true;
  return set;
}

}  // namespace

TEST_CASE("a stored set is opened with the same bits", "[cache]") {
  const OwnCache own;
  const bool zeros = GENERATE(true, false);
  const Dataset set = sampleSet(zeros);
  const auto file = own.path("a.haloset");
  REQUIRE(storeCached(file, set, "stamp") == "");
  std::string remark;
  const auto opened = openCached(file, "stamp", remark);
  REQUIRE(opened.has_value());
  CHECK(remark.empty());
  CHECK(opened->arcs.offsets == set.arcs.offsets);
  CHECK(opened->arcs.columns == set.arcs.columns);
  CHECK(opened->arcs.cols == 5);
  CHECK(sameBits(opened->features, set.features));
  CHECK(sameBits(opened->multiLabels, set.multiLabels));
  CHECK(opened->labels.empty());
  CHECK(opened->split == set.split);
  CHECK(opened->classes == 3);
  CHECK(opened->directed);
  CHECK(opened->marks == set.marks);
  CHECK(opened->remarks == set.remarks);
  CHECK(opened->name + opened->source + opened->fingerprint == "samplesomewhere0123");
  CHECK_FALSE(openCached(file, "another", remark).has_value());
  CHECK_FALSE(openCached(own.path("none"), "stamp", remark).has_value());
  CHECK(remark.empty());
}

TEST_CASE("a stored set with any byte altered or cut off is nothing, with a remark, or the same set",
          "[cache]") {
  const OwnCache own;
  const Dataset set = sampleSet(true);
  const auto file = own.path("a.haloset");
  REQUIRE(storeCached(file, set, "stamp") == "");
  const std::string original = bytesOf(file);
  PhiloxStream random(/*seed=*/5, Purpose::generate, 0);
  for (int i = 0; i < 300; ++i) {
    std::string bytes = original;
    const std::size_t at = random.below(original.size());
    if (i % 3 == 0)
      bytes.resize(at);
    else
      bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1 + random.below(255)));
    overwrite(file, bytes);
    CAPTURE(i, at);
    std::string remark;
    const auto opened = openCached(file, "stamp", remark);
    if (opened) {
      CHECK(opened->arcs.columns == set.arcs.columns);  // padding between the sections was hit
      CHECK(sameBits(opened->features, set.features));
    } else {
      CHECK_THAT(remark, Catch::Matchers::StartsWith("the cached form was damaged ("));
    }
  }
}

TEST_CASE("what is known of a set before it is loaded is its split, whoever makes it", "[cache]") {
  const OwnCache own;
  std::vector<DatasetRequest> requests(4);
  requests[0].name = "karate";
  requests[1].name = "reddit-like";
  requests[1].scale = 1e-4;
  requests[1].seed = 7;
  requests[2].name = own.write("g.txt", "0 1\n1 2\n2 3\n3 4\n4 5\n").string();
  requests[3] = requests[1];
  std::string words;
  for (int v = 0; v < 32; ++v) words += v % 2 == 0 ? "train\n" : "test\n";
  requests[3].split = own.write("split.csv", words).string();
  for (int turn = 0; turn < 2; ++turn)  // the second reads the converted form
    for (const DatasetRequest& request : requests) {
      CAPTURE(turn, request.name);
      const DatasetShape shape = datasetShape(request);
      REQUIRE(shape.split);
      CHECK(shape.split() == loadDataset(request).split);
    }
  overwrite(onlyFile(own.cache() / "haloscope"), "damaged");
  CHECK(cachedSplit(onlyFile(own.cache() / "haloscope"), "").empty());
  CHECK(cachedSplit(own.path("none"), "").empty());
}

TEST_CASE("a set that was read once is read from the cache until its source changes", "[cache]") {
  const OwnCache own;
  const auto path = own.write("g.txt", "0 1\n1 2\n");
  const Dataset first = load(path);
  const auto file = onlyFile(own.cache() / "haloscope");
  const auto written = std::filesystem::last_write_time(file);
  const Dataset again = load(path);
  CHECK(again.fingerprint == first.fingerprint);
  CHECK(again.remarks == first.remarks);
  CHECK(again.source == path.string());
  CHECK(std::filesystem::last_write_time(file) == written);

  own.write("g.txt", "0 1\n1 2\n2 3\n");
  const Dataset changed = load(path);
  CHECK(changed.vertices() == 4);
  CHECK(changed.fingerprint != first.fingerprint);

  // same size, another inode, as a download that is moved into place
  std::filesystem::rename(own.write("h.txt", "0 1\n1 2\n0 3\n"), path);
  CHECK(load(path).arcs.degree(0) == 2);
}

TEST_CASE("labels that are put beside a graph make the cached set stale", "[cache]") {
  const OwnCache own;
  const auto path = own.write("g.txt", "0 1\n1 2\n");
  CHECK(load(path).marks.size() == 3);
  own.write("g-labels.txt", "0 0\n1 1\n2 1\n");
  const Dataset labelled = load(path);
  CHECK(labelled.marks.size() == 2);
  CHECK(labelled.labels == std::vector<std::int32_t>{0, 1, 1});
}

TEST_CASE("a damaged cached set is made anew with a remark", "[cache]") {
  const OwnCache own;
  const auto path = own.write("g.txt", "0 1\n1 2\n");
  const Dataset first = load(path);
  const auto file = onlyFile(own.cache() / "haloscope");
  std::string bytes = bytesOf(file);
  const std::size_t at = bytes.size() - 100;  // among the features, which come last
  bytes[at] = static_cast<char>(bytes[at] ^ 4);
  overwrite(file, bytes);
  const Dataset again = load(path);
  CHECK(again.fingerprint == first.fingerprint);
  CHECK(remarked(again, "the cached form was damaged ("));
  CHECK_FALSE(remarked(load(path), "the cached form was damaged ("));
}

TEST_CASE("a cache that cannot be written keeps no set from being read", "[cache]") {
  const OwnCache own;
  const auto path = own.write("g.txt", "0 1\n1 2\n");
  own.write("cache", "a file where the folder should be");
  const Dataset set = load(path);
  CHECK(set.vertices() == 3);
  CHECK(remarked(set, "the converted set could not be kept in the cache: "));
}

TEST_CASE("a full disk keeps no set from being read and leaves no half-written file", "[cache]") {
  const OwnCache own;
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::to_string(i) + " " + std::to_string(i + 1) + "\n";
  const auto path = own.write("g.txt", text);
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{20000, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const Dataset set = load(path);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(set.vertices() == 2001);
  CHECK(remarked(set, "the converted set could not be kept in the cache: File too large"));
  CHECK(std::filesystem::is_empty(own.cache() / "haloscope"));
}

TEST_CASE("a source rewritten in place with its size and time of modification is read anew", "[cache]") {
  const OwnCache own;
  const auto path = own.write("g.txt", "0 1\n1 2\n2 3\n");
  struct stat before {};
  REQUIRE(::stat(path.c_str(), &before) == 0);
  CHECK(load(path).arcs.degree(0) == 1);
  struct stat after = before;
  // the clock of the file system ticks in milliseconds
  while (after.st_ctim.tv_sec == before.st_ctim.tv_sec && after.st_ctim.tv_nsec == before.st_ctim.tv_nsec) {
    overwrite(path, "0 1\n0 2\n0 3\n");
    const timespec times[] = {before.st_atim, before.st_mtim};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
    REQUIRE(::stat(path.c_str(), &after) == 0);
  }
  REQUIRE(after.st_ino == before.st_ino);
  REQUIRE(after.st_size == before.st_size);
  REQUIRE(after.st_mtim.tv_nsec == before.st_mtim.tv_nsec);
  CHECK(load(path).arcs.degree(0) == 3);
}

TEST_CASE("every spelling of a path finds the same cached set, which bears its name", "[cache]") {
  const OwnCache own;
  own.write("tiny/raw/num-node-list.csv", "3\n");
  own.write("tiny/raw/edge.csv", "0,1\n1,2\n");
  own.write("s.txt", "train\nvalid\ntest\n");
  const auto folder = own.path("tiny");
  DatasetRequest request;
  request.name = folder.string() + "/";
  request.split = own.path("s.txt").string();
  const Dataset first = loadDataset(request);
  const auto file = onlyFile(own.cache() / "haloscope");
  CHECK(file.filename().string().starts_with("tiny-"));
  const auto written = std::filesystem::last_write_time(file);
  std::filesystem::create_directory_symlink(folder, own.path("link"));
  for (const std::string& spelled : {folder.string(), folder.string() + "/../tiny", folder.string() + "//",
                                     folder.string() + "/.", own.path("link").string()}) {
    CAPTURE(spelled);
    request.name = spelled;
    request.split = own.path("tiny/../s.txt").string();
    const Dataset again = loadDataset(request);
    CHECK(again.fingerprint == first.fingerprint);
    CHECK(again.source == spelled);
    CHECK(remarked(again, "read as ogb: " + spelled));
    CHECK(onlyFile(own.cache() / "haloscope") == file);
    CHECK(std::filesystem::last_write_time(file) == written);
  }
}

TEST_CASE("a set is read anew when a folder behind a link in it is another one, or changes", "[cache]") {
  const OwnCache own;
  own.write("small/num-node-list.csv", "4\n");
  own.write("small/edge.csv", "1,0\n1,2\n2,3\n");
  own.write("large/num-node-list.csv", "5\n");
  own.write("large/edge.csv", "1,0\n1,2\n2,3\n3,4\n4,0\n");
  own.write("parts/train.csv", "0\n1\n");
  own.write("parts/valid.csv", "2\n");
  own.write("parts/test.csv", "3\n");
  const auto folder = own.path("set"), raw = folder / "raw";
  std::filesystem::create_directories(folder / "split");
  std::filesystem::create_directory_symlink("../small", raw);
  std::filesystem::create_directory_symlink("../../parts", folder / "split" / "random");
  std::filesystem::create_directory_symlink(".", folder / "circle");
  std::filesystem::create_symlink("itself", own.path("small/itself"));
  CHECK(load(folder).vertices() == 4);
  std::filesystem::remove(raw);
  std::filesystem::create_directory_symlink("../large", raw);
  CHECK(load(folder).arcs.nonzeros() == 10);
  own.write("large/edge.csv", "1,0\n1,2\n2,3\n3,4\n");
  CHECK(load(folder).arcs.nonzeros() == 8);
  CHECK(load(folder).count(Split::train) == 2);
  own.write("parts/train.csv", "0\n");
  CHECK(load(folder).count(Split::train) == 1);
}

TEST_CASE("a pipe in the place of a stored set is not waited for, and the set is made anew", "[cache]") {
  const OwnCache own;
  const auto source = own.write("g.txt", "0 1\n1 2\n2 3\n3 4\n4 5\n");
  load(source);
  const auto file = onlyFile(cacheFolder());
  std::filesystem::remove(file);
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  CHECK(remarked(load(source), "the cached form was damaged (it is no plain file) and is made anew"));
  CHECK(std::filesystem::is_regular_file(file));
  CHECK_FALSE(remarked(load(source), "the cached form was damaged"));
}
