#include "engine/comm/communicator/counted_type.h"

#include <algorithm>
#include <array>

#include "engine/base/check.h"
#include "engine/comm/communicator/element.h"

namespace halo {

CountedType::CountedType(std::int64_t elements, MPI_Datatype element, std::int64_t most) : type_(element) {
  if (elements <= most) {
    count_ = static_cast<int>(elements);
    return;
  }
  // whole pieces, then what is left
  const std::int64_t piece = std::min(kPiece, most), pieces = elements / piece;
  HALO_CHECK(pieces <= kMost);
  MPI_Aint least = 0, extent = 0;
  MPI_Type_get_extent(element, &least, &extent);
  MPI_Datatype pieceType = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(piece), element, &pieceType);
  const std::array<int, 2> lengths = {static_cast<int>(pieces), static_cast<int>(elements % piece)};
  const std::array<MPI_Aint, 2> places = {0, pieces * piece * extent};
  const std::array<MPI_Datatype, 2> types = {pieceType, element};
  MPI_Type_create_struct(2, lengths.data(), places.data(), types.data(), &type_);
  MPI_Type_commit(&type_);
  MPI_Type_free(&pieceType);
  count_ = 1;
  made_ = true;
}

CountedType::~CountedType() {
  if (made_) MPI_Type_free(&type_);
}

}  // namespace halo
