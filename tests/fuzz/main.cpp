// haloscope-fuzz HARNESS|all [--seed N] [--seconds S] [--finds FOLDER] [--replay] CORPUS…
//
// Changes sound inputs, and the files of CORPUS, at random and lets the program read them; what kills it,
// hangs, is slow or swells is kept in FOLDER. --replay only reads the files. Exit status 1 where something
// was found.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/fuzz/session.h"

// The sanitizer's own ways are of no use here: an input that swells is ended by who watches, and what the
// process holds at its end is no leak.
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0:abort_on_error=1:max_allocation_size_mb=4096:detect_stack_use_after_return=0";
}
extern "C" const char* __ubsan_default_options() { return "print_stacktrace=1"; }

namespace {

using namespace halo::fuzz;

struct Asked {
  std::string harness;
  Session session;
  std::vector<std::filesystem::path> files;
  bool replay = false;
};

Asked parsed(int argc, char** argv) {
  Asked asked;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool value = i + 1 < argc;
    if (word == "--replay")
      asked.replay = true;
    else if (word == "--seed" && value)
      asked.session.seed = std::strtoull(argv[++i], nullptr, 10);
    else if (word == "--seconds" && value)
      asked.session.seconds = std::strtoll(argv[++i], nullptr, 10);
    else if (word == "--finds" && value)
      asked.session.finds = argv[++i];
    else if (asked.harness.empty())
      asked.harness = word;
    else if (std::filesystem::is_directory(word))
      for (const auto& entry : std::filesystem::directory_iterator(word)) asked.files.push_back(entry.path());
    else
      asked.files.push_back(word);
  }
  for (const auto& file : asked.files) asked.session.corpus.push_back(halo::bytesOf(file));
  return asked;
}

int replay(const Harness& harness, const Asked& asked) {
  int found = 0;
  for (std::size_t i = 0; i < asked.files.size(); ++i) {
    const std::string kind = kindOfCrash(harness, asked.session.corpus[i]);
    std::printf("%s: %s\n", asked.files[i].c_str(), kind.empty() ? "ok" : kind.c_str());
    found |= kind.empty() ? 0 : 1;
  }
  return found;
}

int search(const Harness& harness, const Session& session) {
  const Tally tally = fuzz(harness, session);
  std::printf(
      "%-20s %10llu executions %7.0f s %5llu crashes of %zu kinds, corpus %zu, %llu slow, the slowest %.1f "
      "s\n",
      harness.name.c_str(), static_cast<unsigned long long>(tally.executions), tally.seconds,
      static_cast<unsigned long long>(tally.crashes), tally.kinds.size(), tally.corpus,
      static_cast<unsigned long long>(tally.slow), tally.slowest);
  for (const std::string& kind : tally.kinds) std::printf("    %s\n", kind.c_str());
  std::fflush(stdout);
  return tally.crashes > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 0);
  const Asked asked = parsed(argc, argv);
  int found = 0;
  bool any = false;
  for (const Harness& harness : harnesses()) {
    if (asked.harness != "all" && asked.harness != harness.name) continue;
    any = true;
    ::setenv("HALO_HARNESS", harness.name.c_str(), 1);
    found |= asked.replay ? replay(harness, asked) : search(harness, asked.session);
  }
  if (any) return found;
  std::fprintf(stderr,
               "haloscope-fuzz HARNESS|all [--seed N] [--seconds S] [--finds FOLDER] [--replay] CORPUS…\n");
  for (const Harness& harness : harnesses()) std::fprintf(stderr, "  %s\n", harness.name.c_str());
  return 2;
}
