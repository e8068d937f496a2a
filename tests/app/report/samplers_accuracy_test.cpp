// The shipped experiment samplers-accuracy.toml: sampled training learns as well as full-graph training.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

#include "tests/app/program.h"
#include "tests/support/shared_data.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr int kSeeds = 5;
constexpr double kPoints = 0.015;

/// The file's [[run]] tables, each with all that stands before the first.
std::vector<std::string> singleRuns(const std::string& text) {
  const std::string table = "[[run]]";
  std::vector<std::string> files;
  const std::size_t first = text.find(table);
  for (std::size_t begin = first; begin != std::string::npos;) {
    const std::size_t next = text.find(table, begin + table.size());
    files.push_back(text.substr(0, first) + text.substr(begin, next - begin));
    begin = next;
  }
  return files;
}

std::string valueOf(const std::string& text, const std::string& key) {
  std::smatch match;
  REQUIRE(std::regex_search(text, match, std::regex("\n" + key + " = \"([^\"]*)\"")));
  return match[1];
}

struct Scores {
  double sum = 0, squares = 0;
  void add(double score) {
    sum += score;
    squares += score * score;
  }
  double mean() const { return sum / kSeeds; }
  double deviation() const { return std::sqrt(std::max(0.0, squares / kSeeds - mean() * mean())); }
};

/// The test score at the best valid score of one run, a process of its own.
double score(const Program& haloscope, const std::string& file, int seed, const std::string& data) {
  std::filesystem::remove(haloscope.folder() / "one.db");
  const Ended ended = haloscope({"--quiet", "--db", "one.db", "run", file, "--set", "training.repeat=1",
                                 "--set", fmt::format("training.seed={}", seed)},
                                {{"HALO_DATA", data}});
  CAPTURE(ended.error);
  REQUIRE(ended.status == 0);
  const auto shown = jsonLines(haloscope({"--db", "one.db", "show", "1", "--json"}).out).at(0);
  return shown.at("latest").at("test_at_best_valid").get<double>();
}

}  // namespace

TEST_CASE("sampled training is within 1.5 points of full-graph training on four real graphs", "[.nightly]") {
  const auto data = sharedData("data");
  if (data.empty()) return;
  std::ifstream in(std::filesystem::path(kSourceDir) / "resources/experiments/samplers-accuracy.toml");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const Program haloscope;
  std::map<std::string, std::map<std::string, Scores>> scores;  // by data set, then method
  for (const std::string& run : singleRuns(text)) {
    const std::string file = haloscope.file("one.toml", run);
    for (int seed = 1; seed <= kSeeds; ++seed)
      scores[valueOf(run, "dataset.name")][valueOf(run, "method")].add(
          score(haloscope, file, seed, data.string()));
  }
  CHECK(scores.size() == 4);
  for (auto& [dataset, byMethod] : scores) {
    REQUIRE(byMethod.size() == 2);
    const Scores &full = byMethod.at("single"), &sampled = byMethod.at("minibatch");
    WARN(fmt::format("{}: full graph {:.2f} ± {:.2f} %, sampled {:.2f} ± {:.2f} %", dataset,
                     100 * full.mean(), 100 * full.deviation(), 100 * sampled.mean(),
                     100 * sampled.deviation()));
    CHECK(std::abs(sampled.mean() - full.mean()) <= kPoints);
  }
}
