#include "views/session/arrow_reader.h"

#include <algorithm>
#include <utility>

#include "engine/record/tables/runs.h"
#include "views/session/background.h"

namespace halo {
namespace {

constexpr std::int64_t kFiner = 8;  // a view so much narrower than what was read may have fewer than too many

void addArrows(const ArrowReader::Source& source, TimeRange range, FoundArrows& all) {
  const auto recording = openToShow(source.recording.toStdString());
  const Epochs epochs(*recording);
  const std::vector<EpochRow> rows = epochs.epochs(source.run, source.epoch);
  if (rows.empty() || rows.front().epoch != source.epoch) return;
  const std::int64_t shift = source.epochNs - rows.front().beginNs;
  FoundArrows read =
      readArrows(Spans(*recording), epochs, source.run, range.beginNs - shift, range.endNs - shift);
  all.tooMany = all.tooMany || read.tooMany;
  for (MessageArrow& arrow : read.arrows) {
    arrow.block = source.block;
    arrow.sentNs += shift;
    arrow.arrivedNs += shift;
    arrow.usedNs += shift;
    all.arrows.push_back(arrow);
  }
}

FoundArrows readAll(const std::vector<ArrowReader::Source>& sources, TimeRange range) {
  FoundArrows all;
  for (const ArrowReader::Source& source : sources) {
    try {
      addArrows(source, range, all);
    } catch (const std::exception&) {
      continue;  // who reads its spans says what is wrong with the recording
    }
  }
  return all;
}

}  // namespace

ArrowReader::ArrowReader(QObject* parent) : QObject(parent) {
  connect(&watcher_, &QFutureWatcher<FoundArrows>::finished, this, [this] {
    isReading_ = false;
    if (std::exchange(again_, false)) return read();
    const FoundArrows result = watcher_.result();
    emit arrowsRead(result.arrows, result.tooMany);
  });
}

ArrowReader::~ArrowReader() { watcher_.waitForFinished(); }

void ArrowReader::ask(std::vector<Source> sources, TimeRange visible) {
  const bool fine = visible.lengthNs() * kFiner >= range_.lengthNs();
  if (sources == sources_ && range_.contains(visible) && fine) return;
  sources_ = std::move(sources);
  range_ = {visible.beginNs - visible.lengthNs(), visible.endNs + visible.lengthNs()};
  isReading_ ? void(again_ = true) : read();
}

void ArrowReader::forget() {
  sources_.clear();
  range_ = {};
}

void ArrowReader::read() {
  isReading_ = true;
  watcher_.setFuture(
      runInBackground([sources = sources_, range = range_] { return readAll(sources, range); }));
}

}  // namespace halo
