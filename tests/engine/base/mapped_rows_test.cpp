#include "engine/base/mapped_rows.h"
#include "engine/base/index.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "engine/base/problem.h"
#include "tests/support/scratch.h"

using namespace halo;
using Catch::Matchers::Contains;

namespace {

/// Element i is i, after `begin` bytes of something else.
RowsInFile written(const std::filesystem::path& file, std::int64_t begin, Index rows, Index cols) {
  std::ofstream out(file, std::ios::binary);
  out << std::string(at(begin), 'x');
  for (Index i = 0; i < rows * cols; ++i) {
    const auto value = static_cast<Scalar>(i);
    out.write(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return {file.string(), begin, rows, cols, 0};
}

/// Of this process, in KiB; memory that no file is behind.
std::int64_t anonymousKib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:")) return std::stoll(line.substr(8));
  return -1;
}

}  // namespace

TEST_CASE("mapped rows are those of the file, wherever they begin", "[mapped]") {
  const Scratch scratch;
  for (const std::int64_t begin : {0, 64, 4096, 8256}) {
    CAPTURE(begin);
    const MappedRows rows(written(scratch / "f", begin, 7, 5));
    REQUIRE(rows.rows().rows() == 7);
    REQUIRE(rows.rows().cols() == 5);
    for (Index r = 0; r < 7; ++r)
      for (Index c = 0; c < 5; ++c) CHECK(rows.row(r)[at(c)] == static_cast<Scalar>(5 * r + c));
  }
  CHECK(MappedRows(written(scratch / "none", 64, 0, 5)).rows().size() == 0);
}

TEST_CASE("a file that is not there, cut short or none is refused with its place and sizes", "[mapped]") {
  const Scratch scratch;
  RowsInFile place = written(scratch / "f", 64, 7, 5);
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(place.file));
  std::filesystem::resize_file(place.file, static_cast<std::uintmax_t>(size - 1));
  CHECK_THROWS_WITH(MappedRows(place),
                    Contains(place.file + ": is cut short: it has " + std::to_string(size - 1) +
                             " bytes, and features of 7 × 5 end at " + std::to_string(size)));
  place.file = (scratch / "absent").string();
  CHECK_THROWS_WITH(MappedRows(place), Contains("absent: cannot be read: No such file or directory"));
  place.file = scratch.path().string();
  CHECK_THROWS_WITH(MappedRows(place), Contains("is no plain file"));
}

TEST_CASE("rows of a file that is replaced stay as they were mapped", "[mapped]") {
  const Scratch scratch;
  const MappedRows rows(written(scratch / "f", 0, 4, 4));
  std::filesystem::rename(written(scratch / "g", 8, 4, 4).file, scratch / "f");
  CHECK(rows.row(3)[3] == 15);
}

TEST_CASE("mapped rows take no memory of the process but pages of their file", "[mapped][memory]") {
  constexpr Index kRows = 8192, kCols = 1024;
  const Scratch scratch;
  const MappedRows rows(written(scratch / "f", 64, kRows, kCols));
  const std::int64_t before = anonymousKib();
  REQUIRE(before > 0);
  double sum = 0;
  for (Index r = 0; r < kRows; ++r) sum += static_cast<double>(rows.row(r)[0]);
  CHECK(sum > 0);
  const auto bytes = static_cast<std::int64_t>(rows.place().bytes());
  CHECK((anonymousKib() - before) * 1024 < bytes / 20);
}
