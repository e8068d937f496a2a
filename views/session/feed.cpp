#include "views/session/feed.h"

#include <utility>

#include "views/session/feed_reader.h"

namespace halo {
namespace {

constexpr int kGatherMs = 80;

}  // namespace

Feed::Feed(TimelineModel& model, QObject* parent) : QObject(parent), model_(model) {}

Feed::~Feed() { stop(); }  // here all are waited for: they post to this object

void Feed::stop() {
  if (!reader_.joinable()) return;
  reader_.request_stop();
  retired_.emplace(generation_, std::move(reader_));
}

/// The thread has posted its last message, so joining it takes no time.
void Feed::end(std::uint64_t generation, bool replaced) {
  if (generation != generation_) {
    retired_.erase(generation);
    if (rests()) emit rested();
    return;
  }
  reader_.join();
  if (replaced)
    open(std::filesystem::path(file_), run_, shift_, clock_);
  else
    emit ended();
}

void Feed::open(const std::filesystem::path& file, std::int64_t run, Shift shift, TimeClock clock) {
  stop();
  file_ = file;
  run_ = run;
  shift_ = std::move(shift);
  clock_ = clock;
  read_ = 0;
  total_ = 0;
  const std::uint64_t generation = ++generation_;
  model_.clear();
  emit opened(generation);
  reader_ = std::jthread(
      [this, generation, source = FeedSource{file, run, shift_, clock_, intervalMs_}](std::stop_token token) {
        FeedMessage last;
        last.ended = true;
        last.replaced =
            readRecording(token, source, [&](FeedMessage message) { post(generation, std::move(message)); });
        post(generation, std::move(last));
      });
}

void Feed::close() {
  stop();
  ++generation_;
  run_ = 0;
  file_.clear();
  model_.clear();
}

/// Every lane that comes is a picture to paint, on the processors that read the others: some wait for each
/// other. All else is told at once.
void Feed::post(std::uint64_t generation, FeedMessage message) {
  const bool isLane = message.lane != nullptr;
  const std::lock_guard lock(mutex_);
  waiting_.emplace_back(generation, std::move(message));
  // one call for however many messages come before the window's thread gets to it
  if (scheduled_ || std::exchange(isLane ? gathering_ : scheduled_, true)) return;
  QMetaObject::invokeMethod(
      this,
      [this, isLane] {
        if (isLane)
          QTimer::singleShot(kGatherMs, this, &Feed::drain);
        else
          drain();
      },
      Qt::QueuedConnection);
}

void Feed::setPaused(bool paused) {
  paused_ = paused;
  drain();
}

void Feed::drain() {
  if (paused_) return;
  std::vector<std::pair<std::uint64_t, FeedMessage>> messages;
  {
    const std::lock_guard lock(mutex_);
    messages.swap(waiting_);
    gathering_ = scheduled_ = false;
  }
  for (auto& [generation, message] : messages)
    if (message.ended)
      end(generation, message.replaced);
    else if (generation == generation_)
      apply(message);
}

void Feed::apply(FeedMessage& message) {
  if (message.run) emit runChanged(*message.run);
  if (message.time) model_.setTime(*message.time);
  if (!message.workers.empty())
    model_.setWorkers(message.workers, std::move(message.clocks), std::move(message.parts));
  if (!message.epochs.empty()) {
    model_.addEpochs(message.epochs);
    emit epochsAdded(message.epochs);
  }
  if (message.directory) {
    for (const SpanBlockInfo& block : *message.directory) total_ += block.count;
    model_.setDirectory(std::move(*message.directory));
    emit directoryRead();
  }
  if (message.lane) {
    model_.adopt(std::move(message.lane));
    read_ += message.spansRead;
    emit progressed(read_, total_);
  }
  for (FeedMessage::Batch& batch : message.batches) model_.append(batch.rank, batch.lane, batch.spans);
  if (!message.problem.empty()) emit failed(QString::fromStdString(message.problem));
  if (message.complete) emit complete();
}

}  // namespace halo
