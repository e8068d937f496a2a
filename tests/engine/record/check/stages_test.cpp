#include "tests/engine/record/check/tampered.h"

using namespace halo;
using namespace halo::test;

namespace {

const SoundRun kActing{.inBatches = true, .acts = true};

}  // namespace

TEST_CASE("actors that are not there are found", "[record]") {
  checkFound(
      {{"DELETE FROM actor WHERE actor = 3",
        "run 1, epoch 0, iteration 0, propagate: is of actor 3, which is not in table actor"},
       {"UPDATE actor SET rank = 2 WHERE actor = 3", "run 1, actor 3: is of worker 2; the run has 2, from 0"},
       {"DELETE FROM actor WHERE actor = 0", "run 1, row "},
       {"UPDATE actor SET rank = 1 WHERE actor = 0", "run 1, row "},
       {"UPDATE run SET marks = 'modelled devices of a kind'",
        "run 1: has modelled actors, and is not marked 'modelled devices'"},
       {"UPDATE actor SET device = 'host'", "run 1: is marked 'modelled devices', and no actor is modelled"}},
      kActing);
}

TEST_CASE("stages that no batch can have gone through are found", "[record]") {
  const std::string at = " WHERE epoch = 1 AND iteration = 1 AND stage = ";
  const auto check = [&](const std::string& change, const char* stage, const std::string& finding) {
    checkFound({{("UPDATE stage SET " + change + at + "'" + stage + "'").c_str(),
                 ("run 1, epoch 1, iteration 1" + finding).c_str()}},
               kActing);
  };
  check("begin_ns = begin_ns - 600000", "transfer",
        ": its stage transfer begins at 16401000 ns, before stage load (16501000 ns)");
  check("busy_ns = 1100000", "sample",
        ": its stage load ends at 17001000 ns, before stage sample (17101000 ns)");
  check("begin_ns = begin_ns - 6000000", "sample",
        ", sample of actor 0: begins at 10001000 ns; its batch before it was busy and waited until 10502000 "
        "ns");
  checkFound(
      {{"UPDATE stage SET wait_ns = 6000000 WHERE epoch = 1 AND iteration = 0 AND stage = 'load'",
        "run 1, epoch 1, iteration 1, load of actor 1: begins at 16501000 ns; its batch before it was busy "
        "and waited until 17001000 ns"},
       {"UPDATE stage SET iteration = 7 WHERE epoch = 1 AND iteration = 1",
        "run 1, epoch 1, iteration 7: has rows in stage, and none in iteration"},
       {"UPDATE stage SET wait_ns = -1 WHERE epoch = 1 AND iteration = 0 AND actor = 4",
        "run 1, epoch 1, iteration 0, propagate of actor 4: wait_ns is -1; a whole number of 0 or more"}},
      kActing);
}

TEST_CASE("iterations on a real clock take their modelled time, dilated", "[record]") {
  checkFound({{"UPDATE iteration SET modelled_ns = 1940000 WHERE epoch = 1 AND iteration = 1",
               "run 1, epoch 1, iteration 1: took 4000000 ns; its modelled 1940000 ns times the dilation 2.0 "
               "make 3880000"}},
             kActing);
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database, kActing);
  const auto dilated = [&](const std::string& sql) {
    return std::ranges::count_if(
        changed(database, sql + "UPDATE iteration SET modelled_ns = 7"),
        [](const std::string& fault) { return fault.find("dilation") != fault.npos; });
  };
  CHECK(dilated("") == 5);
  CHECK(dilated("UPDATE parameter SET value = '\"virtual\"' WHERE key = 'run.clock';") == 0);
  CHECK(dilated("DELETE FROM parameter WHERE key = 'result.dilation';") == 0);
}

TEST_CASE("spans of actors are held to the times of layers, over all epochs", "[record]") {
  checkFound({{"UPDATE layer SET sample_ns = sample_ns + 1 WHERE rank = 0 AND layer = -1 AND epoch = 0",
               "run 1, all epochs, layer -1, pass none, worker 0: sample_ns is 154, its spans take 153"},
              {"DELETE FROM span_block WHERE actor IS NOT NULL AND first_ns = 5000",
               "run 1, all epochs, layer -1, pass none, worker 0: sample_ns is 153, its spans take 103"}},
             kActing);
}
