#include "views/session/chain_reader.h"

#include <utility>

#include "engine/record/tables/runs.h"
#include "views/session/background.h"

namespace halo {

/// None where the recording cannot be read: who reads its spans says what is wrong with it.
WaitChain ChainReader::answer(const Question& question) {
  const ArrowReader::Source& source = question.source;
  WaitChain chain;
  try {
    const auto recording = openToShow(source.recording.toStdString());
    const Epochs epochs(*recording);
    const std::vector<EpochRow> rows = epochs.epochs(source.run, source.epoch);
    if (rows.empty() || rows.front().epoch != source.epoch) return {};
    const std::int64_t shift = source.epochNs - rows.front().beginNs;
    Span wait = question.wait;
    wait.beginNs -= shift;
    chain = readChain(Spans(*recording), epochs, source.run, question.rank, wait);
    for (ChainLink& link : chain.links) link.beginNs += shift, link.endNs += shift;
  } catch (const std::exception&) {
    return {};
  }
  chain.block = source.block;
  return chain;
}

ChainReader::ChainReader(QObject* parent) : QObject(parent) {
  connect(&watcher_, &QFutureWatcher<WaitChain>::finished, this, [this] {
    isReading_ = false;
    if (std::exchange(again_, false) && question_) return read();
    if (question_) emit chainRead(watcher_.result());
  });
}

ChainReader::~ChainReader() { watcher_.waitForFinished(); }

void ChainReader::ask(const ArrowReader::Source& source, std::int64_t rank, const Span& wait) {
  question_ = Question{source, rank, wait};
  isReading_ ? void(again_ = true) : read();
}

void ChainReader::read() {
  isReading_ = true;
  watcher_.setFuture(runInBackground([question = *question_] { return answer(question); }));
}

}  // namespace halo
