#include "engine/methods/slices/slice_scores.h"

#include "engine/base/index.h"
#include "engine/kernels/sparse/gather.h"

namespace halo {
namespace {

/// Columns [begin, begin + part.cols()) of `matrix`, out of it or into it; as many rows.
void takeColumns(const Matrix& matrix, Index begin, Matrix& part) {
  copyBlock(matrix.data() + begin, matrix.cols(), part.data(), part.cols(), matrix.rows(), part.cols());
}
void putColumns(const Matrix& part, Index begin, Matrix& matrix) {
  copyBlock(part.data(), part.cols(), matrix.data() + begin, matrix.cols(), matrix.rows(), part.cols());
}

}  // namespace

SliceScores::SliceScores(WorkerParts& parts, Transposition& rows)
    : parts_(parts), rows_(rows), scoresByLayer_(at(parts.model.layers())), Y_(at(parts.model.layers())) {}

void SliceScores::share(int layer, int tag, const Matrix& Y) {
  const Attention attention = parts_.model.layer(layer).attention().value();
  const Index heads = attention.heads();
  HALO_CHECK(heads == rows_.heads() && attention.transform == nullptr);
  Y_[at(layer)] = &Y;
  {
    const Timed timed(parts_.tracer, Kind::compute, Name::aggregate);
    headScores(Y, attention.source->value, sources_);
    headScores(Y, attention.target->value, targets_);
  }
  both_.resize(Y.rows(), 2 * heads);
  putColumns(sources_, 0, both_);
  putColumns(targets_, heads, both_);
  rows_.gather(tag, both_, all_);
  GivenScores& layerScores = scoresByLayer_[at(layer)];
  layerScores.slice = rows_.headSlice(Y.cols());
  for (Matrix* scores : {&layerScores.source, &layerScores.target})
    scores->resize(all_.rows(), layerScores.slice.heads.count);
  takeColumns(all_, layerScores.slice.heads.begin, layerScores.source);
  takeColumns(all_, heads + layerScores.slice.heads.begin, layerScores.target);
}

void SliceScores::pullBack(int layer, int tag, Matrix& dY) {
  const Attention attention = parts_.model.layer(layer).attention().value();
  const Index heads = attention.heads();
  const GivenScores& layerScores = scoresByLayer_[at(layer)];
  all_.setZero(rows_.totalRows(), 2 * heads);  // of other slices' heads it has nothing
  putColumns(layerScores.dSource, layerScores.slice.heads.begin, all_);
  putColumns(layerScores.dTarget, heads + layerScores.slice.heads.begin, all_);
  rows_.sumRows(tag, all_, both_);
  for (Matrix* scores : {&sources_, &targets_}) scores->resize(both_.rows(), heads);
  takeColumns(both_, 0, sources_);
  takeColumns(both_, heads, targets_);
  const Timed timed(parts_.tracer, Kind::compute, Name::aggregate);
  const Matrix& Y = *Y_[at(layer)];
  headScoresBackward(Y, attention.source->value, sources_, dY, attention.source->gradient);
  headScoresBackward(Y, attention.target->value, targets_, dY, attention.target->gradient);
}

std::size_t SliceScores::bytes() const {
  std::size_t bytes = sources_.heldBytes() + targets_.heldBytes() + both_.heldBytes() + all_.heldBytes();
  for (const GivenScores& layerScores : scoresByLayer_)
    for (const Matrix* scores :
         {&layerScores.source, &layerScores.target, &layerScores.dSource, &layerScores.dTarget})
      bytes += scores->heldBytes();
  return bytes;
}

}  // namespace halo
