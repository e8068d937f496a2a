#pragma once

#include <cstdint>

#include "engine/base/buffer.h"
#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/kernels/opencl/opencl_api.h"

namespace halo {

/// Memory of a card; OpenClDevice makes it, and makes it anew where it is too small. Nothing shrinks, so what
/// passes over from batch to batch is allocated until the largest has been seen, and never again.
class CardBuffer {
 public:
  std::size_t heldBytes() const { return bytes_; }

 private:
  friend class OpenClDevice;
  opencl::Owned memory_;
  std::size_t bytes_ = 0;
};

/// A dense row-major matrix on a card.
struct CardMatrix {
  Index rows = 0, cols = 0;
  CardBuffer elements;
  Index size() const { return rows * cols; }
};

/// The first rows of a matrix on a card, or all of them, read only; the matrix outlives this.
class CardRows {
 public:
  CardRows(const CardMatrix& all) : CardRows(all, all.rows) {}
  CardRows(const CardMatrix& all, Index rows) : elements_(all.elements), rows_(rows), cols_(all.cols) {
    HALO_CHECK(rows >= 0 && rows <= all.rows);
  }
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index size() const { return rows_ * cols_; }
  const CardBuffer& elements() const { return elements_; }

 private:
  const CardBuffer& elements_;
  Index rows_, cols_;
};

/// A sparse matrix on a card. Its entries are counted in 32 bits: the blocks of a batch have fewer.
struct CardCsr {
  Index rows = 0, cols = 0, nonzeros = 0;
  bool weighted = false;
  CardBuffer offsets, columns, values;
  Index hubs = 0;               // rows of more than CardTiles::kHub entries
  CardBuffer hubRows;           // which
  Buffer<std::int32_t> staged;  // on the host: what is copied there
};

/// What went over the bus.
struct CardTraffic {
  std::int64_t bytesUp = 0, bytesDown = 0;  // to the card, from the card
  std::int64_t copies = 0;
  std::int64_t bytes() const { return bytesUp + bytesDown; }
};

}  // namespace halo
