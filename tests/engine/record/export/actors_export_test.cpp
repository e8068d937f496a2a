#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/record/export/export.h"
#include "tests/engine/record/sound_recording.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

std::string contents(const std::filesystem::path& file) {
  std::ostringstream out;
  out << std::ifstream(file, std::ios::binary).rdbuf();
  return out.str();
}

std::vector<std::string> linesOf(const std::filesystem::path& file) {
  std::istringstream text(contents(file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("actors, stages and decisions are exported, and whose a span is", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database, {.inBatches = true, .acts = true});
  exportCsv(database, sound.run(), folder / "out");
  const auto actors = linesOf(folder / "out/actor.csv"), stages = linesOf(folder / "out/stage.csv"),
             decisions = linesOf(folder / "out/decision.csv"), spans = linesOf(folder / "out/spans.csv");
  REQUIRE(actors.size() == 7);
  CHECK(actors[0] == "run_id,actor,rank,name,kind,device");
  CHECK(actors[3] == "1,2,0,card 0: link,link,modelled");
  REQUIRE(stages.size() == 1 + 6 * 6);
  CHECK(stages[0] ==
        "run_id,epoch,iteration,stage,actor,begin_ns,busy_ns,wait_ns,modelled_ns,planned_ns,planned_end_ns,"
        "predicted_ns,bytes,queued");
  CHECK(stages[1] == "1,0,0,sample,0,0,500000,1000,250000,250000,500000,125000,100,0");
  CHECK(stages[2].starts_with("1,0,0,load,1,"));
  CHECK(stages[6].starts_with("1,0,0,synchronise,5,"));
  REQUIRE(decisions.size() == 6);
  CHECK(decisions[0] ==
        "run_id,decision,epoch,iteration,action,taken_from,given_to,cpu_seeds,card_seeds,sample_threads,"
        "load_threads,train_threads,card_sample_share,before_ns,after_ns,outcome");
  CHECK(decisions[1] == "1,0,0,0,start,,,40,30,6,5,5,0,,1000,kept");
  CHECK(decisions[3] == "1,2,1,0,threads,load,train,31,35,6,4,6,0,900,899,undone");
  CHECK(spans[0].ends_with(",bytes,actor"));
  CHECK(std::ranges::count(spans, "1,0,main,5000,50,compute,sample,-1,none,0,-1,0,0") == 1);
  CHECK(std::ranges::count_if(spans, [](const std::string& line) { return line.ends_with(","); }) ==
        std::ssize(spans) - 4);  // three of the sampler
}

TEST_CASE("a trace has a thread for every actor, by its name", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database, {.inBatches = true, .acts = true});
  exportChromeTrace(database, sound.run(), folder / "t.json");
  const auto events = nlohmann::json::parse(contents(folder / "t.json")).at("traceEvents");
  std::int64_t thread = -1, spans = 0;
  for (const auto& event : events)
    if (event.at("name") == "thread_name" && event.at("args").at("name") == "sample")
      thread = event.at("tid");
  REQUIRE(thread >= 0);
  for (const auto& event : events)
    if (event.at("ph") == "X" && event.at("tid") == thread) {
      CHECK(event.at("name") == "sample");
      ++spans;
    }
  CHECK(spans == 3);
}
