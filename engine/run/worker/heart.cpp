#include "engine/run/worker/heart.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <system_error>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/host_name.h"
#include "engine/base/index.h"
#include "engine/run/protocol/beat.h"
#include "engine/run/protocol/last_spans.h"

namespace halo {
namespace {

constexpr int kFirstMs = 500;  // until the run's settings are here
constexpr int kLeastMs = 100, kMostMs = 5'000, kBeatsInSilence = 5;
constexpr std::size_t kLastSpans = 1024;  // 100 KB a rank: the launcher kills a second after it asked
constexpr int kRoomMs = 200;
constexpr std::int64_t kNsPerS = 1'000'000'000;

std::atomic<int> wakes = -1;  // an eventfd: all that a signal handler may touch
std::atomic<bool> ended = false;

void wake() {
  const std::uint64_t increment = 1;
  (void)!::write(wakes, &increment, sizeof increment);  // fails only where it is awake already
}

extern "C" void onEndSignal(int) {
  ended = true;
  wake();
}

/// What the launcher has not read of this rank's standard error; 0: all of it, or that is not known.
std::size_t unreadBytes() {
  int unread = 0;
  return ::ioctl(STDERR_FILENO, FIONREAD, &unread) == 0 && unread > 0 ? at(unread) : 0;
}

/// The launcher passes on what it reads at once, with other ranks' lines between. Reads it, then each line is
/// written when it has read the one before. Else lines begin where it will begin to read.
void write(const std::vector<std::string>& lines) {
  bool reads = true;
  for (const std::string& line : lines) {
    for (int ms = 0; reads && unreadBytes() > 0; ++ms) {
      reads = ms < kRoomMs;
      ::poll(nullptr, 0, 1);
    }
    const std::string padded = paddingAfter(unreadBytes()) + line;
    pollfd room{STDERR_FILENO, POLLOUT, 0};
    if (::poll(&room, 1, 0) <= 0 || ::write(STDERR_FILENO, padded.data(), padded.size()) < 0) return;
  }
}

std::string seconds(std::int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, ns < 10'000'000'000 ? "%.1f s" : "%.0f s", static_cast<double>(ns) * 1e-9);
  return text;
}

std::string namesOf(const Awaited& awaited) {
  if (awaited.count == 0) return "the other ranks";
  const int namedCount = std::min<int>(awaited.count, Awaited::kNamed), more = awaited.count - namedCount;
  std::string text = awaited.count == 1 ? "rank " : "ranks ";
  for (int i = 0; i < namedCount; ++i)
    text += (i == 0                             ? ""
             : i + 1 == namedCount && more == 0 ? " and "
                                                : ", ") +
            std::to_string(awaited.ranks[at(i)]);
  return more > 0 ? text + " and " + std::to_string(more) + " more" : text;
}

}  // namespace

std::string words(const Whereabouts::Seen& activity, std::int64_t nowNs) {
  std::string place;
  if (activity.layer >= 0) place = " in layer " + std::to_string(activity.layer);
  if (activity.layer >= 0 && activity.pass != Pass::none)
    place += activity.pass == Pass::forward ? " forward" : " backward";
  const std::string epoch =
      activity.epoch < 0 ? " (before the first epoch)" : " (epoch " + std::to_string(activity.epoch) + ")";
  if (activity.waitsSinceNs == 0) return "works" + place + epoch;
  if (place.empty()) place = ", " + std::string(activity.doing) + ",";
  return "waits " + seconds(std::max<std::int64_t>(0, nowNs - activity.waitsSinceNs)) + place + " for " +
         namesOf(activity.awaited) + epoch;
}

Heart::Heart(Tracer& tracer, int rank) : tracer_(tracer), rank_(rank), host_(hostName()), everyMs_(kFirstMs) {
  wakes = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wakes < 0) throw std::system_error(errno, std::generic_category(), "the heartbeat's eventfd");
  struct sigaction action {};
  action.sa_handler = onEndSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGTERM, &action, nullptr);
  thread_ = std::thread([this] { beat(); });
}

Heart::~Heart() {
  closing_ = true;
  wake();
  thread_.join();
  std::signal(SIGTERM, SIG_DFL);
  ::close(wakes.exchange(-1));
}

void Heart::keepWithin(std::int64_t silenceS) {
  const std::int64_t intervalMs = silenceS == 0 ? kMostMs : silenceS * 1000 / kBeatsInSilence;
  silenceNs_ = silenceS * kNsPerS;
  everyMs_ = static_cast<int>(std::clamp<std::int64_t>(intervalMs, kLeastMs, kMostMs));
  wake();
}

void Heart::beat() {
  while (!closing_) {
    say(false);
    tellLongWait();
    pollfd sleeping{wakes, POLLIN, 0};
    ::poll(&sleeping, 1, everyMs_);
    std::uint64_t count = 0;
    (void)!::read(wakes, &count, sizeof count);  // nothing to read: it slept to the end
    if (!ended) continue;
    say(true);
    sendSpans();
    std::signal(SIGTERM, SIG_DFL);
    ::kill(::getpid(), SIGTERM);  // now as it was meant
  }
}

void Heart::say(bool last) const {
  const std::string line =
      encodeBeat({rank_, last, HALO_VERSION, host_, words(tracer_.whereabouts().seen(), wallNs())});
  (void)!::write(STDERR_FILENO, line.data(), line.size());  // who does not hear it, does without
}

/// Once a wait, when half of the silence that ends a run has passed. A launcher that ends the ranks may read
/// no more. It wakes a stopped rank first, so that the others go on.
void Heart::tellLongWait() {
  const std::int64_t silenceNs = silenceNs_, since = tracer_.whereabouts().seen().waitsSinceNs;
  if (silenceNs == 0 || since == 0 || since == toldSinceNs_ || wallNs() - since < silenceNs / 2) return;
  toldSinceNs_ = since;
  sendSpans();
}

namespace {

/// What an emulated link has under way ends later.
void dropUnderWay(std::vector<Span>& spans) {
  std::int64_t nowNs = INT64_MIN;
  for (const Span& span : spans)
    if (span.lane == Lane::main) nowNs = std::max(nowNs, span.endNs());
  std::erase_if(spans, [=](const Span& span) { return span.endNs() > nowNs; });
}

}  // namespace

/// As long as somebody takes them: a rank that is to end does not stay for its spans.
void Heart::sendSpans() const {
  std::vector<Span> spans = tracer_.latest(kLastSpans, wallNs());
  dropUnderWay(spans);
  std::vector<std::string> lines = encodeLastSpans({rank_, std::move(spans)});
  std::ranges::reverse(lines);  // the latest first
  write(lines);
}

}  // namespace halo
