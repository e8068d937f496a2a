#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "engine/base/matrix.h"

namespace halo {

/// A dense row-major matrix of Scalar that stands in a file.
struct RowsInFile {
  std::string file;
  std::int64_t begin = 0;  // of its first byte, at a multiple of a Scalar's size
  Index rows = 0, cols = 0;
  std::uint64_t digest = 0;  // of its bytes, as who wrote them made it

  std::size_t bytes() const { return at(rows * cols) * sizeof(Scalar); }
};

/// Such a matrix, read only, where the file is. All processes of a host share its pages. The system takes the
/// pages back where memory is short. A file that is replaced stays as it was for those who have it.
class MappedRows {
 public:
  /// Throws DamagedInput where the file is not there, or is too short.
  explicit MappedRows(RowsInFile place);
  ~MappedRows();
  MappedRows(const MappedRows&) = delete;
  MappedRows& operator=(const MappedRows&) = delete;

  const RowsInFile& place() const { return place_; }
  FirstRows rows() const { return {values_, place_.rows, place_.cols}; }
  std::span<const Scalar> row(Index r) const { return {values_ + r * place_.cols, at(place_.cols)}; }

 private:
  RowsInFile place_;
  void* pages_ = nullptr;
  std::size_t mappedBytes_ = 0;
  const Scalar* values_ = nullptr;
};

}  // namespace halo
