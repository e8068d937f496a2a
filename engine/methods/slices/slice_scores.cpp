#include "engine/methods/slices/slice_scores.h"

#include "engine/base/index.h"
#include "engine/kernels/sparse/gather.h"

namespace halo {
namespace {

/// Columns [begin, begin + part.cols()) of `whole`, out of it or into it; as many rows.
void takeColumns(const Matrix& whole, Index begin, Matrix& part) {
  copyBlock(whole.data() + begin, whole.cols(), part.data(), part.cols(), whole.rows(), part.cols());
}
void putColumns(const Matrix& part, Index begin, Matrix& whole) {
  copyBlock(part.data(), part.cols(), whole.data() + begin, whole.cols(), whole.rows(), part.cols());
}

}  // namespace

SliceScores::SliceScores(WorkerParts& parts, Transposition& rows)
    : parts_(parts), rows_(rows), given_(at(parts.model.layers())), Y_(at(parts.model.layers())) {}

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
  GivenScores& given = given_[at(layer)];
  given.slice = rows_.headSlice(Y.cols());
  for (Matrix* scores : {&given.source, &given.target}) scores->resize(all_.rows(), given.slice.heads.count);
  takeColumns(all_, given.slice.heads.begin, given.source);
  takeColumns(all_, heads + given.slice.heads.begin, given.target);
}

void SliceScores::pullBack(int layer, int tag, Matrix& dY) {
  const Attention attention = parts_.model.layer(layer).attention().value();
  const Index heads = attention.heads();
  const GivenScores& given = given_[at(layer)];
  all_.setZero(rows_.totalRows(), 2 * heads);  // of other slices' heads it has nothing
  putColumns(given.dSource, given.slice.heads.begin, all_);
  putColumns(given.dTarget, heads + given.slice.heads.begin, all_);
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
  for (const GivenScores& given : given_)
    for (const Matrix* scores : {&given.source, &given.target, &given.dSource, &given.dTarget})
      bytes += scores->heldBytes();
  return bytes;
}

}  // namespace halo
