#include "views/recording/dragged_runs.h"

#include <QCoreApplication>

namespace halo {
namespace {

constexpr const char* kType = "application/x-haloscope-runs";  // number of the process, then those of runs

}  // namespace

QMimeData* draggedRuns(const std::vector<std::int64_t>& runs) {
  QByteArray numbers = QByteArray::number(QCoreApplication::applicationPid());
  for (const std::int64_t run : runs) numbers += ' ' + QByteArray::number(static_cast<qlonglong>(run));
  auto* data = new QMimeData;
  data->setData(kType, numbers);
  return data;
}

std::vector<std::int64_t> runsDragged(const QMimeData& data) {
  const QList<QByteArray> numbers = data.data(kType).split(' ');
  std::vector<std::int64_t> runs;
  if (numbers.first().toLongLong() != QCoreApplication::applicationPid()) return runs;
  for (const QByteArray& number : numbers.mid(1)) runs.push_back(number.toLongLong());
  return runs;
}

QStringList draggedRunTypes() { return {kType}; }

}  // namespace halo
