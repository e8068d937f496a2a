#include "datasets/input/limits.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "datasets/arrays/npz.h"
#include "datasets/input/growing.h"
#include "datasets/input/unpack.h"
#include "datasets/load.h"
#include "tests/datasets/own_cache.h"
#include "tests/support/array_files.h"
#include "tests/support/packings.h"

using namespace halo;

namespace {

constexpr double kMiB = 1048576, kGiB = 1024 * kMiB;

DatasetRequest at(const std::filesystem::path& path, double limit = 0) {
  DatasetRequest request;
  request.name = path.string();
  request.memoryLimitGib = limit;
  return request;
}

/// In bytes: "VmRSS:" of now, "VmHWM:" at most so far.
double ofProcess(const std::string& key) {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;)
    if (double kib = 0; word == key && in >> kib) return kib * 1024;
  return 0;
}

void forgetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace

TEST_CASE("memory that the file does not justify is refused with size, room and key", "[limits]") {
  CHECK_NOTHROW(requireRoom(15 * kMiB, 0, "an array", {.file = "a.npz"}));
  CHECK_THROWS_WITH(requireRoom(3 * kGiB, 20, "an array of 3 × 4", {"a.npz", 7, 2, "x", ""}),
                    "a.npz:7:2: x: an array of 3 × 4 would take 3.0 GiB; 20 bytes of data justify "
                    "1.0 GiB; dataset.memory_limit_gib (or HALO_MEMORY_LIMIT_GIB in the "
                    "environment) raises the limit");
  CHECK_THROWS_WITH(requireRoom(1e18, 1e18, "an array", {.file = "a.npz"}),
                    Catch::Matchers::Contains("are available; dataset.memory_limit_gib (or"));
  CHECK_THROWS_AS(requireRoom(1e18, 1e18, "an array", {}), DamagedInput);
}

TEST_CASE("a limit that is set counts instead of what is free and justified", "[limits]") {
  {
    const MemoryLimit limit(0.5);
    CHECK_NOTHROW(requireRoom(0.4 * kGiB, 0, "an array", {}));
    CHECK_THROWS_WITH(requireRoom(0.6 * kGiB, 1e18, "an array", {}),
                      "an array would take 614.4 MiB; dataset.memory_limit_gib (or "
                      "HALO_MEMORY_LIMIT_GIB in the environment) allows 512.0 MiB");
    const MemoryLimit inner(1e5);
    CHECK_NOTHROW(requireRoom(9000 * kGiB, 0, "an array", {}));
  }
  CHECK_THROWS_AS(requireRoom(9000 * kGiB, 0, "an array", {}), DamagedInput);
  ::setenv(kMemoryLimitVariable, "0.25", 1);
  CHECK_THROWS_WITH(requireRoom(0.4 * kGiB, 1e18, "it", {}), Catch::Matchers::EndsWith("allows 256.0 MiB"));
  {
    const MemoryLimit limit(2);  // the experiment's word comes before the environment's
    CHECK_NOTHROW(requireRoom(1.5 * kGiB, 0, "it", {}));
  }
  for (const char* wrong : {"much", "-1", "0", "4 GiB", "nan", "1e300"}) {
    CAPTURE(wrong);
    ::setenv(kMemoryLimitVariable, wrong, 1);
    CHECK_THROWS_AS(requireRoom(1, 1, "it", {}), InputError);
  }
  ::unsetenv(kMemoryLimitVariable);
}

TEST_CASE("what a reader of a stream takes is held against what was there", "[limits]") {
  const MemoryLimit limit(0.03125);
  const MemoryGrowth growth;
  CHECK_NOTHROW(growth.require(0, "what was read", {"a.txt", 3, 0, "", ""}));
  std::vector<char> block(static_cast<std::size_t>(40 * kMiB), 'x');
  CHECK_THROWS_WITH(growth.require(0, "what was read", {"a.txt", 3, 0, "", ""}),
                    Catch::Matchers::StartsWith("a.txt:3: what was read would take 4"));
  CHECK(block[5] == 'x');
}

TEST_CASE("vertices without edges are bounded by what the file holds", "[limits]") {
  const OwnCache own;
  const auto tiny = own.write("tiny.jlg", "40000000,1,u,graph\n1,2\n");
  CHECK_THROWS_WITH(
      loadDataset(at(tiny)),
      tiny.string() +
          ": 40000000 vertices with generated features would take 10.3 GiB; 16 "
          "bytes of data justify 1.0 GiB; dataset.memory_limit_gib (or HALO_MEMORY_LIMIT_GIB in the "
          "environment) raises the limit");
  const auto smallFile = own.write("few.jlg", "20000,1,u,graph\n1,2\n");
  CHECK(loadDataset(at(smallFile)).vertices() == 20000);
  CHECK_THROWS_AS(loadDataset(at(own.write("limited.jlg", "20001,1,u,graph\n1,2\n"), 0.001)), DamagedInput);
  const auto matrix = own.write("tiny.mtx",
                                "%%MatrixMarket matrix coordinate pattern general\n"
                                "90000000 90000000 1\n1 2\n");
  CHECK_THROWS_WITH(loadDataset(at(matrix)), Catch::Matchers::Contains("dataset.memory_limit_gib"));
}

TEST_CASE("labels as wide as one line or number says are refused before they are held", "[limits]") {
  const OwnCache own;
  std::string flags;
  for (int i = 0; i < 50'000; ++i) flags += " 0 1";
  const char* const refused = ": a dense matrix of 4 × 100000 would take 1.5 MiB";
  const auto graph = own.write("g.txt", "0 1\n1 2\n2 3\n3 0\n");
  for (const std::string& text : {"0" + flags + "\n", std::string("0 99999\n0 5\n")}) {
    const auto labels = own.write("g-labels.txt", text);
    CHECK_THROWS_WITH(loadDataset(at(graph, 0.001)), Catch::Matchers::StartsWith(labels.string() + refused));
    CHECK(loadDataset(at(graph)).classes == 100'000);
  }
  std::filesystem::remove(own.path("g-labels.txt"));
  std::replace(flags.begin(), flags.end(), ' ', ',');
  DatasetRequest request = at(graph, 0.001);
  request.labels = own.write("labels.json", R"({"0": [)" + flags.substr(1) + "]}").string();
  CHECK_THROWS_WITH(loadDataset(request),  // its tree is held before the matrix
                    Catch::Matchers::StartsWith(request.labels + ": what was read so far would take"));
}

TEST_CASE("a packed line that swells is refused before it fills the memory", "[limits]") {
  const OwnCache own;
  const std::string line(std::size_t{24} << 20, '1');
  for (auto* pack : {gzipped, bzipped, xzipped, zstandard}) {
    CHECK_THROWS_AS(loadDataset(at(own.write("line.txt", pack("0 1\n" + line)), 0.01)), DamagedInput);
  }
  const auto path = own.write("line.txt", gzipped("0 1\n" + line));
  CHECK_THROWS_WITH(
      loadDataset(at(path, 0.01)),
      Catch::Matchers::StartsWith(path.string() + ":2: the line would take 16.0 MiB; a file that is "
                                                  "packed so small may hold 10.2 MiB; "
                                                  "dataset.memory_limit_gib"));
  // as plain text it is as long as the file says, and one end of an edge alone
  CHECK_THROWS_WITH(loadDataset(at(own.write("plain.txt", "0 1\n" + line), 0.05)),
                    Catch::Matchers::Contains("the line ends early"));
}

TEST_CASE("a text that swells beyond its limit is refused once, not for each format", "[limits]") {
  const OwnCache own;
  std::string edges(std::size_t{32} << 20, '\n');
  for (std::size_t i = 0; i < edges.size(); i += 4) edges.replace(i, 3, "1 2");
  const auto path = own.write("edges.txt", bzipped(edges));
  CHECK_THROWS_WITH(loadDataset(at(path, 0.02)),
                    Catch::Matchers::StartsWith(path.string() + ": what was read so far would take "));
}

TEST_CASE("a few bytes that swell to hundreds of MiB are refused after the first of them", "[limits]") {
  const OwnCache own;
  const std::string blank(std::size_t{32} << 20, '\n');
  const std::string lines = blank.substr(0, blank.size() / 4);
  std::string text = lines;
  for (std::size_t i = 0; i + 8 < text.size(); i += 8) text.replace(i, 7, "1 2 \n# ");
  for (auto* pack : {bzipped, zstandard})
    for (const std::string& piece : {lines, text}) {
      const std::string once = pack(piece);
      std::string packed;
      for (int i = 0; i < 6; ++i) packed += once;
      CAPTURE(packed.size());
      const auto path = own.write("swollen.txt", packed);
      CHECK_THROWS_WITH(contentsOf(path),
                        Catch::Matchers::StartsWith(path.string() + ": its unpacked text would take ") &&
                            Catch::Matchers::Contains(" MiB; a file that is packed so small may hold "));
    }
  const std::string less = bzipped(blank.substr(0, std::size_t{20} << 20)),
                    packedBlank = bzipped(blank) + less;
  DatasetRequest request = at(own.write("blank.txt", packedBlank));
  request.format = "edge-list";
  CHECK_THROWS_WITH(
      loadDataset(request),
      Catch::Matchers::StartsWith(request.name + ": its unpacked text would take 3") &&
          Catch::Matchers::EndsWith(
              " MiB; a file that is packed so small may hold 32.0 MiB; dataset.memory_limit_gib "
              "(or HALO_MEMORY_LIMIT_GIB in the environment) raises the limit"));
  CHECK(viewOf(contentsOf(own.write("right.txt", bzipped(blank)))) == blank);
  // what is no graph is looked through once, not by each of the readers
  const auto no = own.write("no.txt", less);
  forgetPeak();
  const double before = ofProcess("VmRSS:");
  CHECK_THROWS_WITH(loadDataset(at(no)),
                    Catch::Matchers::StartsWith(no.string() + ": the file is in no readable format; ") &&
                        Catch::Matchers::Contains("; no.txt, packed to ") &&
                        Catch::Matchers::Contains(
                            "; dataset.memory_limit_gib (or HALO_MEMORY_LIMIT_GIB in the environment) "
                            "raises the limit, and each stumbles:") &&
                        Catch::Matchers::Contains("\n  edge-list: " + no.string() + ":") &&
                        Catch::Matchers::Contains(": nothing is wrong up to here, in 16.0 MiB of the text"));
  CHECK(ofProcess("VmHWM:") - before < 128 * kMiB);
}

TEST_CASE("an array takes memory as its bytes come, not as its header promises", "[limits][npz]") {
  const OwnCache own;
  const auto lie = own.write("lie.npy.gz", gzipped(npyFile("<f4", "(150000000,)", std::string(40, '\0'))));
  forgetPeak();
  const double before = ofProcess("VmRSS:");
  CHECK_THROWS_WITH(readNpy(lie),
                    Catch::Matchers::Contains("holds 40 bytes of elements; its header promises 600000000"));
  CHECK(ofProcess("VmHWM:") - before < 32 * kMiB);
}

TEST_CASE("a refusal shows by how much its limit is passed, however little", "[limits]") {
  const Problem place{.file = "a.txt"};
  CHECK_THROWS_WITH(requireJustified(kGiB + 4 * kMiB, kGiB, 0, "its text", place),
                    Catch::Matchers::StartsWith("a.txt: its text would take 1.004 GiB; a file that is packed "
                                                "so small may hold 1.0 GiB; "));
  CHECK_THROWS_WITH(requireRoom(kGiB + 4096, 20, "an array", place),
                    Catch::Matchers::StartsWith("a.txt: an array would take 1.000004 GiB; 20 bytes of data "
                                                "justify 1.0 GiB; "));
  const MemoryLimit limit(0.5);
  CHECK_THROWS_WITH(
      requireRoom(0.5 * kGiB + 0.02 * kMiB, 20, "an array", place),
      Catch::Matchers::Contains("would take 512.02 MiB; ") && Catch::Matchers::EndsWith(" allows 512.0 MiB"));
}

TEST_CASE("one-hot rows that pack thousandfold are read beyond what any text may hold", "[limits]") {
  constexpr std::size_t kRows = 5000;
  const std::string zeros = [] {
    std::string row;
    for (std::size_t i = 0; i < kRows; ++i) row += "0,";
    row.back() = '\n';
    return row;
  }();
  std::string text;
  for (std::size_t v = 0; v < kRows; ++v) (text += zeros)[text.size() - zeros.size() + 2 * v] = '1';
  const OwnCache own;
  const std::string packed = xzipped(text);
  CHECK(text.size() / packed.size() > 3000);
  CHECK(viewOf(contentsOf(own.write("hot.csv", packed))) == text);
}

TEST_CASE("text that swells is bounded, and the whole of a file too", "[limits]") {
  const OwnCache own;
  std::string edges;
  for (int i = 0; i < 12'000'000; ++i) edges += "0 1\n";
  const std::string packed = gzipped(edges);
  const auto path = own.write("edges.txt", packed);
  CHECK(loadDataset(at(path)).arcs.nonzeros() == 2);
  CHECK_THROWS_WITH(loadDataset(at(own.write("again.txt", packed), 0.02)),
                    Catch::Matchers::Contains("what was read so far would take") &&
                        Catch::Matchers::Contains("dataset.memory_limit_gib"));
  const MemoryLimit limit(0.02);
  CHECK_THROWS_WITH(contentsOf(path), Catch::Matchers::Contains("what was read so far would take"));
}

TEST_CASE("honest features that pack a thousandfold are read", "[limits]") {
  const OwnCache own;
  constexpr Index kVertices = 2000;
  std::string ring, text;
  std::vector<float> values(static_cast<std::size_t>(kVertices * kVertices));
  for (Index v = 0; v < kVertices; ++v) {
    ring += std::to_string(v) + " " + std::to_string((v + 1) % kVertices) + "\n";
    values[static_cast<std::size_t>(v * kVertices + v)] = 1;
    std::string row(2 * kVertices, '0');
    for (std::size_t i = 1; i < row.size(); i += 2) row[i] = ',';
    row[static_cast<std::size_t>(2 * v)] = '1';
    row.back() = '\n';
    text += row;
  }
  DatasetRequest request = at(own.write("ring.txt", ring));
  request.features =
      own.write("hot.npz", zipOf({{"x.npy", npyFile("<f4", shapeOf({kVertices, kVertices}),
                                                    std::string(reinterpret_cast<const char*>(values.data()),
                                                                values.size() * sizeof(float)))}}))
          .string();
  CHECK(std::filesystem::file_size(request.features) < values.size() * sizeof(float) / 400);
  const Dataset set = loadDataset(request);
  CHECK(set.features(1999, 1999) == 1);
  CHECK(set.features(1999, 1998) == 0);
  for (auto* pack : {gzipped, bzipped, xzipped, zstandard}) {
    request.features = own.write("hot.csv", pack(text)).string();
    CHECK(loadDataset(request).features(1234, 1234) == 1);
  }
}

TEST_CASE("an array that grows keeps its elements", "[limits]") {
  Growing<int> numbers;
  for (int i = 0; i < 100'000; ++i) numbers.push_back(i);
  CHECK(numbers.size() == 100'000);
  CHECK(numbers[0] == 0);
  CHECK(numbers.back() == 99'999);
  const Growing<int> moved = std::move(numbers);
  CHECK(moved[77'777] == 77'777);
}

TEST_CASE("reading takes no more than its limit and a little at its worst moment", "[limits]") {
  const OwnCache own;
  std::string edges;
  for (int i = 0; i < 12'000'000; ++i) edges += "0 1\n";
  const auto list = own.write("edges.txt", gzipped(edges)), lists = own.write("adj.txt", gzipped(edges));
  std::string().swap(edges);
  for (const auto& path : {list, lists}) {
    CAPTURE(path);
    forgetPeak();
    const double before = ofProcess("VmRSS:");
    CHECK_THROWS_WITH(loadDataset(at(path, 0.15)), Catch::Matchers::Contains("dataset.memory_limit_gib"));
    CHECK(ofProcess("VmHWM:") - before < 0.15 * kGiB + 64 * kMiB);
    CHECK(loadDataset(at(path, 1)).arcs.nonzeros() == 2);
  }
}

TEST_CASE("what no size line promises is counted and not kept", "[limits]") {
  struct Case {
    const char *name, *head, *line, *refusal;
  };
  const OwnCache own;
  for (const auto& [name, head, line, refusal] :
       {Case{"m.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n", "1 2\n",
             "promises 2 entries; the file holds more than 1000002"},
        {"j.jlg", "3,2,u,g\n", "1,2\n", "promises 2 edges; the file holds more than 1000002"},
        {"p.gr", "p tw 3 2\n", "1 2\n", "promises 2 edges; the file holds more than 1000002"},
        {"c.txt", "3 2\n", "1 2\n", "promises 2 edges; the file holds more than 1000002"},
        {"l.graph", "3 2\n", " 2 3", "each in two lines; the file lists more than 2000005 neighbours"}}) {
    CAPTURE(name);
    std::string text = head;
    for (int i = 0; i < 1'100'000; ++i) text += line;
    DatasetRequest request = at(own.write(name, gzipped(text)));
    if (std::string_view(name) == "c.txt") request.format = "counted-edge-list";
    std::string().swap(text);
    forgetPeak();
    const double before = ofProcess("VmRSS:");
    CHECK_THROWS_WITH(loadDataset(request), Catch::Matchers::Contains(refusal));
    CHECK(ofProcess("VmHWM:") - before < 40 * kMiB);
  }
}

TEST_CASE("an array of other rows is refused before its elements are read", "[limits]") {
  const OwnCache own;
  const auto ring = own.write("ring.txt", "0 1\n1 2\n2 0\n");
  const std::string wrong = npyFile("<f4", "(34, 5)", ""), right = npyFile("<f4", "(3, 5)", "");
  const auto refusal = [&](std::string DatasetRequest::*part, const std::filesystem::path& file) {
    DatasetRequest request = at(ring);
    request.*part = file.string();
    try {
      loadDataset(request);
    } catch (const DamagedInput& refused) {
      return std::string(refused.what());
    }
    return std::string();
  };
  const std::string rows = "holds 34 rows; 3 vertices need one each", early = "holds 0 bytes of elements";
  using Catch::Matchers::Contains;
  CHECK_THAT(refusal(&DatasetRequest::features, own.write("f.npy", wrong)), Contains(rows));
  CHECK_THAT(refusal(&DatasetRequest::features, own.write("f.npz", zipOf({{"x.npy", wrong}}))),
             Contains(rows));
  CHECK_THAT(refusal(&DatasetRequest::features,
                     own.write("two.npz", zipOf({{"x.npy", npyFile("<f4", "(0,)", "")},
                                                 {"y.npy", npyFile("<f4", "(0,)", "")}}))),
             Contains("holds 2 arrays"));
  CHECK_THAT(refusal(&DatasetRequest::labels, own.write("l.npy", wrong)), Contains(rows));
  CHECK_THAT(refusal(&DatasetRequest::features, own.write("g.npy", right)), Contains(early));
}

TEST_CASE("what is no GML is not unpacked to its end to be told so", "[limits]") {
  const OwnCache own;
  std::string edges;
  for (int i = 0; i < 1'000'000; ++i) edges += std::to_string(i) + " 1\n";
  const std::string packed = gzipped(edges);
  for (const std::string& half : {packed, packed.substr(0, packed.size() / 2)}) {
    DatasetRequest request = at(own.write("edges.gml.gz", half));
    request.format = "gml";
    CHECK_THROWS_WITH(loadDataset(request), Catch::Matchers::Contains(":1:1: '0' is not the beginning"));
  }
}

TEST_CASE("JSON whose tree is many times its text is refused while it is read", "[limits]") {
  const OwnCache own;
  std::string lists = "{\"a\": [[]";
  for (int i = 0; i < 2'000'000; ++i) lists += ",[]";
  own.write("t-G.json", lists + "], \"nodes\": [], \"links\": []}");
  own.write("t-id_map.json", "{}");
  own.write("t-class_map.json", "{}");
  CHECK_THROWS_WITH(loadDataset(at(own.path(""), 0.03)),
                    Catch::Matchers::Contains("t-G.json: what was read so far would take") &&
                        Catch::Matchers::Contains(kMemoryLimitKey));
}
