#include "engine/methods/full_graph/aggregation.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/kernels/dense/dense.h"

namespace halo {
namespace {

bool attendsTo(const Model& model) { return model.propagation() == Propagation::attention; }

}  // namespace

TurnedEdges::TurnedEdges(const Model& model, const Csr& edges)
    : edges_(edges), transposed_(transpose(edges)) {
  if (attendsTo(model)) places_ = transposedPlaces(edges);
}

void clearGradients(const Attention& attention) {
  for (Weight* weight : {attention.source, attention.target, attention.transform})
    if (weight != nullptr) weight->gradient.fill(0);
}

Aggregation::Aggregation(WorkerParts& parts, std::vector<GivenScores>* scores)
    : parts_(parts), scores_(scores), attends_(attendsTo(parts.model)), states_(at(parts.model.layers())) {}

void Aggregation::enter(int layer) {
  layer_ = layer;
  transformedOf_ = nullptr;
  attention_ = parts_.model.layer(layer).attention();
}

void Aggregation::begin(int layer, const Matrix& own, Matrix& Z, Index targets) {
  enter(layer);
  first_ = true;
  state().own = &own;
  state().Z = &Z;
  if (!attention_) return;
  const Matrix& rows = transformed(own);
  const Timed timed(parts_.tracer, Kind::compute, Name::aggregate);
  if (scores_ == nullptr) headScores(rows, attention_->target->value, 0, targets, state().target);
  beginAttention(targets, rows.cols(), heads(), softmax_, Z);
}

void Aggregation::add(const EdgeBlock& block, const Matrix& rows) {
  if (attention_)
    attendTo(block, rows);
  else
    aggregate(parts_.tracer, block.edges, rows, *state().Z, first_ ? Write::overwrite : Write::add);
  first_ = false;
}

void Aggregation::attendTo(const EdgeBlock& block, const Matrix& rows) {
  const Matrix& values = transformed(rows);
  const Timed timed(parts_.tracer, Kind::compute, Name::aggregate);
  if (!isGiven(rows))
    headScores(values, sourceVector(), block.begin, block.count < 0 ? rows.rows() : block.count, source_);
  const Matrix& source = isGiven(rows) ? given()->source : source_;
  attend(block.edges, values, {source, targetScores(), attention_->slope}, softmax_, *state().Z);
}

void Aggregation::finish() {
  if (!attention_) return;
  const Timed timed(parts_.tracer, Kind::compute, Name::aggregate);
  finishAttention(softmax_, *state().Z, state().logSum);
}

void Aggregation::beginBackward(int layer, const Matrix& dZ) {
  enter(layer);
  dZ_ = &dZ;
  if (!attention_) return;
  const Timed timed(parts_.tracer, Kind::compute, Name::aggregate);
  headProducts(dZ, *state().Z, heads(), products_);
  dTarget_.setZero(dZ.rows(), heads());
  clearGradients(*attention_);
}

void Aggregation::rowGradients(const EdgeBlock& block, const Matrix& rows, Matrix& dRows) {
  if (attention_)
    attentionGradients(block, rows, dRows);
  else
    aggregate(parts_.tracer, block.transposed, *dZ_, dRows, Write::overwrite);
}

void Aggregation::attentionGradients(const EdgeBlock& block, const Matrix& rows, Matrix& dRows) {
  const Matrix& values = transformed(rows);
  Matrix& dValues = attention_->transform != nullptr ? dTransformed_ : dRows;
  {
    const Timed timed(parts_.tracer, Kind::compute, Name::aggregate);
    if (!isGiven(rows)) headScores(values, sourceVector(), source_);
    const Matrix& source = isGiven(rows) ? given()->source : source_;
    Matrix& dSource = isGiven(rows) ? given()->dSource : dSource_;
    attendBackward(block.transposed, block.places, values, {source, targetScores(), attention_->slope},
                   {state().logSum, products_, *dZ_}, dValues, dSource, dEdges_);
    sumEdges(block.edges, dEdges_, dTarget_);
    if (!isGiven(rows)) pullBackSources(values, dValues);
  }
  if (attention_->transform != nullptr) pullBack(rows, dValues, dRows, Write::overwrite);
}

void Aggregation::rowGradientsInPlace(const EdgeBlock& block, Matrix& rows) {
  HALO_CHECK(attention_ && attention_->transform == nullptr && scores_ == nullptr);
  const Timed timed(parts_.tracer, Kind::compute, Name::aggregate);
  headScores(rows, attention_->source->value, source_);
  const EdgeScores scores{source_, targetScores(), attention_->slope};
  const AttentionGradient gradient{state().logSum, products_, *dZ_};
  attendBackwardScores(block.transposed, block.places, rows, scores, gradient, dSource_, dEdges_);
  sumEdges(block.edges, dEdges_, dTarget_);
  headVectorGradient(rows, dSource_, attention_->source->gradient);
  attendBackwardValues(block.transposed, scores, gradient, rows);
  addHeadRows(dSource_, attention_->source->value, rows);
}

void Aggregation::finishBackward(Matrix& dOwn) {
  if (!attention_) return;
  if (scores_ != nullptr) return std::swap(dTarget_, given()->dTarget);
  const Matrix& rows = *state().own;
  const Matrix& values = transformed(rows);
  Matrix& dValues = attention_->transform != nullptr ? dTransformed_ : dOwn;
  if (attention_->transform != nullptr) dValues.setZero(values.rows(), values.cols());
  {
    const Timed timed(parts_.tracer, Kind::compute, Name::aggregate);
    Weight& target = *attention_->target;
    headScoresBackward(values, target.value, dTarget_, dValues, target.gradient);
  }
  if (attention_->transform != nullptr) pullBack(rows, dValues, dOwn, Write::add);
}

/// What makes the scores of rows whose scores are not given: of a slice of columns, that of the vector, which
/// stands in one piece.
const Matrix& Aggregation::sourceVector() {
  const Matrix& vector = attention_->source->value;
  if (scores_ == nullptr) return vector;
  const HeadSlice& slice = given()->slice;
  vector_.resize(slice.heads.count, slice.columns.count / slice.heads.count);
  std::copy_n(vector.data() + slice.columns.begin, slice.columns.count, vector_.data());
  return vector_;
}

void Aggregation::pullBackSources(const Matrix& values, Matrix& dValues) {
  Matrix& vectorGradient = attention_->source->gradient;
  if (scores_ == nullptr)
    return headScoresBackward(values, attention_->source->value, dSource_, dValues, vectorGradient);
  const Matrix& vector = sourceVector();
  dVector_.setZero(vector.rows(), vector.cols());
  headScoresBackward(values, vector, dSource_, dValues, dVector_);
  Scalar* gradient = vectorGradient.data() + given()->slice.columns.begin;
  std::ranges::transform(dVector_.values(), std::span(gradient, dVector_.values().size()), gradient,
                         std::plus());
}

/// Rows as attention takes them.
const Matrix& Aggregation::transformed(const Matrix& rows) {
  if (attention_->transform == nullptr) return rows;
  if (transformedOf_ == &rows) return transformed_;
  const Timed timed(parts_.tracer, Kind::compute, Name::update);
  multiply(rows, attention_->transform->value, transformed_);
  transformedOf_ = &rows;
  return transformed_;
}

// Through the transformation: of its weight, and of the rows where somebody needs it.
void Aggregation::pullBack(const Matrix& rows, const Matrix& dY, Matrix& dRows, Write write) {
  const Timed timed(parts_.tracer, Kind::compute, Name::update);
  Weight& weight = *attention_->transform;
  multiplyTransposedA(rows, dY, weight.gradient, Write::add);
  if (layer_ > 0) multiplyTransposedB(dY, weight.value, dRows, write);
}

std::size_t Aggregation::bytes() const {
  std::size_t bytes = 0;
  for (const Matrix* m : {&softmax_.largest, &softmax_.sum, &source_, &products_, &dTarget_, &dSource_,
                          &dEdges_, &vector_, &dVector_, &transformed_, &dTransformed_})
    bytes += m->heldBytes();
  for (const State& s : states_) bytes += s.target.heldBytes() + s.logSum.heldBytes();
  return bytes;
}

}  // namespace halo
