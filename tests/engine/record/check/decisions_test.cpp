#include "tests/engine/record/check/tampered.h"

using namespace halo;
using namespace halo::test;

namespace {

const SoundRun kActing{.inBatches = true, .acts = true};

void check(int decision, const std::string& change, const std::string& finding) {
  const std::string number = std::to_string(decision);
  checkFound({{("UPDATE decision SET " + change + " WHERE decision = " + number).c_str(),
               ("run 1, decision " + number + ": " + finding).c_str()}},
             kActing);
}

Strings without(const std::string& key, const std::string& change, const char* word) {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database, kActing);
  Strings faults = changed(database, "DELETE FROM parameter WHERE key = '" + key + "';" + change);
  std::erase_if(faults, [&](const std::string& fault) { return fault.find(word) == fault.npos; });
  return faults;
}

}  // namespace

TEST_CASE("mappings that the platform cannot have are found", "[record]") {
  check(3, "sample_threads = 7", "its threads are 17 together; platform.cpu_threads is 16");
  check(0, "sample_threads = 0, load_threads = 11",
        "leaves somebody no thread (cpu 40, card 30, threads 0/11/5");
  check(0, "train_threads = 0, load_threads = 10", "leaves somebody no thread");
  check(3, "cpu_seeds = 29", "29 seeds and 35 of each of 2 cards; an iteration has 100");
  check(3, "cpu_seeds = 32", "32 seeds and 35 of each of 2 cards; an iteration has 100");
  check(3, "card_sample_share = 1.5", "card_sample_share is 1.5; a share from 0 to 1");
  check(3, "card_seeds = -1", "card_seeds is -1; a whole number of 0 or more");
  CHECK(without("platform.cpu_threads", "UPDATE decision SET sample_threads = 7", "together").empty());
  CHECK(without("result.batch", "UPDATE decision SET cpu_seeds = 29", "an iteration has").empty());
  CHECK(without("platform.cards", "UPDATE decision SET cpu_seeds = 29", "an iteration has").empty());
}

TEST_CASE("mappings that do not follow from the one before by their action are found", "[record]") {
  check(1, "taken_from = 'cards', given_to = 'cpu'",
        "its action is work from cards to cpu; it makes (cpu 31, card 35, threads 6/5/5, sampled on cards 0) "
        "of (cpu 40, card 30, threads 6/5/5, sampled on cards 0), the mapping of decision 0");
  check(1, "action = 'threads'", "its action is threads from cpu to cards; it makes");
  check(1, "action = 'sampling'", "its action is sampling from cpu to cards; it makes");
  check(1, "card_sample_share = 0.5", "its action is work from cpu to cards; it makes");
  check(1, "load_threads = 4, train_threads = 6", "its action is work from cpu to cards; it makes");
  check(2, "given_to = 'sample'", "its action is threads from load to sample; it makes");
  check(2, "taken_from = 'train', given_to = 'load'", "its action is threads from train to load; it makes");
  check(3, "taken_from = 'cards', given_to = 'cpu'", "its action is sampling from cards to cpu; it makes");
  check(4, "cpu_seeds = 30", "its action is rest; it makes (cpu 30,");
}

TEST_CASE("an undone decision leaves the mapping before it", "[record]") {
  check(3, "load_threads = 4, train_threads = 6",
        "its action is sampling from cpu to cards; it makes (cpu 31, card 35, threads 6/4/6, sampled on "
        "cards 0.25) of (cpu 31, card 35, threads 6/5/5, sampled on cards 0), the mapping of decision 1");
}

TEST_CASE("outcomes that times contradict are found", "[record]") {
  check(1, "after_ns = 992",
        "its outcome is kept; 1000 ns before and 992 ns after it, kept are changes that leave at most 0.99 "
        "of the time");
  check(2, "after_ns = 800", "its outcome is undone; 900 ns before and 800 ns after it");
  check(2, "after_ns = NULL", "its outcome is undone, and before_ns or after_ns is NULL");
  check(2, "outcome = 'open'", "was not judged (outcome open), and is not the last");
  check(0, "outcome = 'undone'", "its outcome is undone; nothing stood before it");
  check(4, "outcome = 'kept'", "its outcome is kept; rest, where nothing is left to try, and only there");
  check(3, "outcome = 'rest'", "its outcome is rest; rest, where nothing is left to try, and only there");
}

TEST_CASE("decisions that are missing or out of order are found", "[record]") {
  check(3, "epoch = 0", "is of epoch 0, iteration 1, before the decision before it");
  check(1, "action = 'start'", "has the action start, which decision 0 alone has");
  check(0, "action = 'rest'", "is the first, and its action is rest; start");
  checkFound(
      {{"DELETE FROM decision WHERE decision = 2", "run 1, decision 3: decision 2 is not in table decision"}},
      kActing);
}
