#include "tests/fuzz/session.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <sstream>

#include "datasets/graph/digest.h"
#include "tests/fuzz/coverage.h"
#include "tests/fuzz/mutate.h"
#include "tests/support/scratch.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace halo::fuzz {
namespace {

/// What outlives a reader that dies.
struct Shared {
  std::atomic<std::uint64_t> executions{0};
  std::atomic<std::int64_t> begunNs{0};  // processor time at which the input was begun; 0: none is
  std::atomic<std::int64_t> slowestNs{0};
  std::atomic<std::uint64_t> slow{0};
  std::atomic<std::size_t> size{0};
  std::array<char, kLargestInput> input;
  Coverage seen;
};

Shared& shared() {
  static Shared* memory =
      new (::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Shared;
  return *memory;
}

std::int64_t cpuNs(clockid_t clock) {
  timespec now{};
  return ::clock_gettime(clock, &now) == 0 ? now.tv_sec * 1'000'000'000 + now.tv_nsec : 0;
}

std::uint64_t residentBytes(pid_t process) {
  std::ifstream statm("/proc/" + std::to_string(process) + "/statm");
  std::uint64_t all = 0, resident = 0;
  statm >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

struct Executed {
  bool news = false;  // it reached something new
  bool slow = false;
};

Executed execute(const std::string& bytes) {
  Shared& now = shared();
  std::copy(bytes.begin(), bytes.end(), now.input.begin());
  now.size = bytes.size();
  forgetCoverage();
  now.begunNs = cpuNs(CLOCK_PROCESS_CPUTIME_ID);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  const std::int64_t tookNs = cpuNs(CLOCK_PROCESS_CPUTIME_ID) - now.begunNs;
  now.begunNs = 0;
  ++now.executions;
  if (tookNs > now.slowestNs) now.slowestNs = tookNs;
  if (tookNs > kSlowNs) ++now.slow;
  return {isNews(now.seen), tookNs > kSlowNs};
}

/// A process with its standard error in a file. Ends it where it takes too long or too much.
class Reader {
 public:
  template <class Work>
  explicit Reader(const std::filesystem::path& log, Work work) : log_(log) {
    shared().begunNs = 0;
    process_ = ::fork();
    if (process_ != 0) return;
    const int to = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ::dup2(to, STDERR_FILENO);
    work();
    ::_exit(0);
  }

  /// Waits; returns the kind of crash, or "".
  std::string kind() {
    clockid_t clock{};
    ::clock_getcpuclockid(process_, &clock);
    for (;;) {
      int status = 0;
      if (::waitpid(process_, &status, WNOHANG) == process_) return ofEnd(status);
      usedNs_ = std::max(usedNs_, cpuNs(clock));
      const std::int64_t begun = shared().begunNs;
      if (begun > 0 && usedNs_ - begun > kMostNs) return end("takes more than 5 s");
      if (residentBytes(process_) > kMostBytes) return end("takes more than 2 GB");
      ::usleep(20'000);
    }
  }
  double seconds() const { return static_cast<double>(usedNs_) * 1e-9; }

 private:
  std::string end(const std::string& why) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    return why;
  }
  /// The line in which a sanitizer, or we, sum up; without numbers, which differ from case to case.
  std::string ofEnd(int status) const {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
    std::ifstream lines(log_);
    std::string summary = "signal " + std::to_string(WTERMSIG(status));
    for (std::string line; std::getline(lines, line);)
      for (const char* sign : {"SUMMARY:", "runtime error:", "broken promise", "FIND:", "terminate called"})
        if (line.find(sign) != line.npos) summary = line;
    std::erase_if(summary, [](unsigned char c) { return std::isdigit(c) != 0; });
    return summary.substr(0, 200);
  }

  std::filesystem::path log_;
  pid_t process_ = 0;
  std::int64_t usedNs_ = 0;
};

/// The same kind of crash from fewer bytes.
std::string shortened(const Harness& harness, std::string bytes, const std::string& kind) {
  int tries = 200;
  for (std::size_t piece = bytes.size() / 2; piece > 0; piece /= 2)
    for (std::size_t at = 0; at < bytes.size() && tries > 0; --tries) {
      std::string fewer = bytes;
      fewer.erase(at, piece);
      if (kindOfCrash(harness, fewer) == kind)
        bytes = fewer;
      else
        at += piece;
    }
  return bytes;
}

void keepSlow(const Harness& harness, const std::filesystem::path& finds, const std::string& bytes) {
  if (finds.empty()) return;
  std::filesystem::create_directories(finds / harness.name);
  std::ofstream(finds / harness.name / ("slow-" + Digest().add(bytes).hex().substr(0, 12)), std::ios::binary)
      << bytes;
}

/// Keeps the input and what was said at its end.
void keep(const Harness& harness, const std::filesystem::path& finds, const std::string& bytes,
          const std::filesystem::path& log) {
  const auto folder = finds / harness.name;
  std::filesystem::create_directories(folder);
  const std::string name = Digest().add(bytes).hex().substr(0, 12);
  std::ofstream(folder / (name + ".txt"), std::ios::binary) << std::ifstream(log).rdbuf();
  std::ofstream(folder / name, std::ios::binary) << bytes;
}

/// Runs until the time is over or an input ends the process. Inputs with news are files of `news`, too, for
/// the process that comes next.
void mutateOn(const Harness& harness, const Session& session, std::vector<std::string> corpus,
              PhiloxStream random, std::int64_t untilNs, const std::filesystem::path& news) {
  while (cpuNs(CLOCK_PROCESS_CPUTIME_ID) < untilNs) {
    const std::string bytes = mutated(corpus[random.below(corpus.size())], corpus, random);
    const Executed executed = execute(bytes);
    if (executed.slow) keepSlow(harness, session.finds, bytes);
    if (!executed.news) continue;
    std::ofstream(news / Digest().add(bytes).hex(), std::ios::binary) << bytes;
    corpus.push_back(bytes);
  }
}

std::vector<std::string> filesOf(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path());
  std::ranges::sort(names);
  std::vector<std::string> files;
  for (const auto& name : names) files.push_back(bytesOf(name));
  return files;
}

}  // namespace

std::string kindOfCrash(const Harness&, const std::string& bytes) {
  static const Scratch folder;
  return Reader(folder / "log", [&] { execute(bytes); }).kind();
}

Tally fuzz(const Harness& harness, const Session& session) {
  const Scratch folder;
  std::filesystem::create_directories(folder / "news");
  shared().executions = shared().slow = 0;
  shared().slowestNs = 0;
  shared().seen.fill(0);
  std::vector<std::string> begin = harness.seeds();
  begin.insert(begin.end(), session.corpus.begin(), session.corpus.end());
  Tally tally;
  for (std::uint64_t round = 0; tally.seconds < static_cast<double>(session.seconds); ++round) {
    std::vector<std::string> corpus = begin;
    for (std::string& bytes : filesOf(folder / "news")) corpus.push_back(std::move(bytes));
    const auto left = static_cast<std::int64_t>((static_cast<double>(session.seconds) - tally.seconds) * 1e9);
    Reader reader(folder / "log", [&] {
      if (round == 0)
        for (const std::string& bytes : corpus) execute(bytes);
      mutateOn(harness, session, corpus, PhiloxStream(session.seed, Purpose::generate, round), left,
               folder / "news");
    });
    const std::string kind = reader.kind();
    tally.seconds += reader.seconds() + 0.01;
    if (kind.empty()) continue;
    ++tally.crashes;
    if (std::ranges::find(tally.kinds, kind) != tally.kinds.end()) continue;
    tally.kinds.push_back(kind);
    const std::string bytes(shared().input.data(), shared().size);
    std::filesystem::copy_file(folder / "log", folder / "first",
                               std::filesystem::copy_options::overwrite_existing);
    if (!session.finds.empty())
      keep(harness, session.finds, shortened(harness, bytes, kind), folder / "first");
  }
  tally.executions = shared().executions;
  tally.slow = shared().slow;
  tally.slowest = static_cast<double>(shared().slowestNs) * 1e-9;
  tally.corpus = begin.size() + filesOf(folder / "news").size();
  return tally;
}

}  // namespace halo::fuzz
