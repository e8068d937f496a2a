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
  Asked options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool value = i + 1 < argc;
    if (word == "--replay")
      options.replay = true;
    else if (word == "--seed" && value)
      options.session.seed = std::strtoull(argv[++i], nullptr, 10);
    else if (word == "--seconds" && value)
      options.session.seconds = std::strtoll(argv[++i], nullptr, 10);
    else if (word == "--finds" && value)
      options.session.finds = argv[++i];
    else if (options.harness.empty())
      options.harness = word;
    else if (std::filesystem::is_directory(word))
      for (const auto& entry : std::filesystem::directory_iterator(word))
        options.files.push_back(entry.path());
    else
      options.files.push_back(word);
  }
  for (const auto& file : options.files) options.session.corpus.push_back(halo::bytesOf(file));
  return options;
}

int replay(const Harness& harness, const Asked& options) {
  int status = 0;
  for (std::size_t i = 0; i < options.files.size(); ++i) {
    const std::string kind = kindOfCrash(harness, options.session.corpus[i]);
    std::printf("%s: %s\n", options.files[i].c_str(), kind.empty() ? "ok" : kind.c_str());
    status |= kind.empty() ? 0 : 1;
  }
  return status;
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
  const Asked options = parsed(argc, argv);
  int status = 0;
  bool any = false;
  for (const Harness& harness : harnesses()) {
    if (options.harness != "all" && options.harness != harness.name) continue;
    any = true;
    ::setenv("HALO_HARNESS", harness.name.c_str(), 1);
    status |= options.replay ? replay(harness, options) : search(harness, options.session);
  }
  if (any) return status;
  std::fprintf(stderr,
               "haloscope-fuzz HARNESS|all [--seed N] [--seconds S] [--finds FOLDER] [--replay] CORPUS…\n");
  for (const Harness& harness : harnesses()) std::fprintf(stderr, "  %s\n", harness.name.c_str());
  return 2;
}
