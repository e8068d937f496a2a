#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <optional>

#include "views/session/arrow_reader.h"
#include "views/spans/wait_chain.h"

namespace halo {

/// Reads the chain of a wait of the timeline, on another thread. A newer question wins.
class ChainReader : public QObject {
  Q_OBJECT
 public:
  explicit ChainReader(QObject* parent = nullptr);
  ~ChainReader() override;

  /// Answers chainRead. `wait`: as the timeline has it, whose times are moved.
  void ask(const ArrowReader::Source& source, std::int64_t rank, const Span& wait);
  /// What is read now counts no more.
  void forget() { question_.reset(); }
  bool settled() const { return !isReading_; }

 signals:
  void chainRead(const halo::WaitChain& chain);

 private:
  struct Question {
    ArrowReader::Source source;
    std::int64_t rank = 0;
    Span wait;
  };
  void read();
  static WaitChain answer(const Question& question);

  std::optional<Question> question_;
  QFutureWatcher<WaitChain> watcher_;
  bool isReading_ = false, again_ = false;
};

}  // namespace halo
