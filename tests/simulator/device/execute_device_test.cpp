#include <catch2/catch.hpp>

#include "simulator/device/execute.h"
#include "tests/simulator/device.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

std::vector<SlicePass> passes() {
  return {{0, Pass::forward, 5, true}, {1, Pass::forward, 3, false}, {1, Pass::backward, 3, false}};
}

Matrix someFeatures(Index rows) {
  Matrix features(rows, 4);
  PhiloxStream random(2, Purpose::shuffle, 6);
  for (Scalar& value : features.values()) value = static_cast<Scalar>(random.uniform());
  return features;
}

}  // namespace

TEST_CASE("every accelerator executes its shipped devices' work and is right", "[simulator]") {
  const Csr A = randomDirected(300, 4000, 5);
  const Matrix features = someFeatures(300), none;
  for (const auto& [name, entry] : registry<AcceleratorEntry>())
    for (const Matrix* rows : {&features, &none}) {
      CAPTURE(name);
      const Values figures = tinyFigures(name);
      const auto widths = passes();
      const Executed executed = execute(entry, {figures, library(), A, *rows, widths, {}});
      CHECK(executed.outputs == 300 * (5 + 3));  // each width once
      CHECK(executed.largestError > 0);          // that of rounding
      CHECK(executed.largestError < 1e-5);
    }
}

TEST_CASE("what a device sums wrongly is found, on every accelerator", "[simulator]") {
  const Csr A = randomDirected(60, 500, 7);
  const Matrix features;  // random ones
  const auto widths = passes();
  using Mutation = Matrix (*)(Matrix sums, const CsrRows& A, const Matrix& H);
  const std::pair<const char*, Mutation> mutations[] = {
      {"a nonzero twice",
       [](Matrix sums, const CsrRows& rows, const Matrix& H) {
         sums(7, 1) += H(rows.row(7).front(), 1);
         return sums;
       }},
      {"a nonzero missing",
       [](Matrix sums, const CsrRows& rows, const Matrix& H) {
         sums(9, 0) -= H(rows.row(9).back(), 0);
         return sums;
       }},
      {"a row of another",
       [](Matrix sums, const CsrRows&, const Matrix&) {
         std::ranges::copy(sums.row(4), sums.row(5).begin());
         return sums;
       }},
      {"not a number",
       [](Matrix sums, const CsrRows&, const Matrix&) {
         sums(3, 2) = std::numeric_limits<Scalar>::quiet_NaN();
         return sums;
       }},
  };
  static Mutation chosen;
  static Matrix (*right)(const Values&, const Library&, const CsrRows&, const Matrix&,
                         std::span<const std::uint8_t>);
  for (const auto& [name, entry] : registry<AcceleratorEntry>())
    for (const auto& [fault, mutation] : mutations) {
      CAPTURE(name, fault);
      AcceleratorEntry wrong = entry;
      chosen = mutation;
      right = entry.execute;
      wrong.execute = +[](const Values& figures, const Library& all, const CsrRows& matrix, const Matrix& H,
                          std::span<const std::uint8_t> mask) {
        return chosen(right(figures, all, matrix, H, mask), matrix, H);
      };
      const Values figures = tinyFigures(name);
      CHECK_THROWS_WITH(execute(wrong, {figures, library(), A, features, widths, {}}),
                        Catch::Matchers::StartsWith("execute: " + name + " with 3 columns sums "));
    }
}

TEST_CASE("an output that is masked must be nought", "[simulator]") {
  const Csr A = randomDirected(10, 30, 3);
  Matrix H(10, 1), sums;
  H.fill(1);
  sums.setZero(10, 1);
  std::vector<std::uint8_t> mask(10, 1);
  for (Index r = 0; r < 10; ++r) sums(r, 0) = static_cast<Scalar>(A.degree(r));
  Executed executed;
  CHECK_FALSE(compareSums(A, H, mask, sums, executed));
  CHECK(executed.largestError == 0);
  mask[4] = 0;
  CHECK(compareSums(A, H, mask, sums, executed)->find("at row 4, column 0; it is masked") !=
        std::string::npos);
  sums(4, 0) = 0;
  CHECK_FALSE(compareSums(A, H, mask, sums, executed));
}

TEST_CASE("executing is refused from figures alone and beyond what takes seconds", "[simulator]") {
  DeviceSettings settings = mixgcn("spu", "reddit");
  settings.execute = true;
  const auto figures = refusals(settings, library());
  REQUIRE(figures.size() == 1);
  CHECK(figures[0].key == "simulate.execute");
  CHECK(figures[0].message.find("there are figures only") != std::string::npos);
  settings.tiling = "replica";
  settings.replicaScale = 0.01;
  CHECK(refusals(settings, library()).empty());
  settings.replicaScale = 0.5;
  REQUIRE(refusals(settings, library()).size() == 1);
  CHECK(refusals(settings, library())[0].key == "simulate.execute");
  settings.graph.clear();
  settings.tiling = "exact";
  settings.dataset.name = "reddit-like";
  const auto large = refusals(settings, library());
  REQUIRE(large.size() == 1);
  CHECK(large[0].key == "simulate.execute");
  CHECK(large[0].message.find("more slices, or a smaller graph") != std::string::npos);
}
