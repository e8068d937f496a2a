#include "datasets/npz.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>

#include "engine/base/problem.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

/// An array file as numpy writes it, from its parts.
std::string npy(const std::string& descr, const std::string& shape, const std::string& bytes,
                const std::string& fortran = "False") {
  std::string dictionary =
      "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(dictionary.size());
  file += '\0';
  return file + dictionary + bytes;
}

template <class T>
std::string raw(std::initializer_list<T> values) {
  return std::string(reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T));
}

std::filesystem::path written(const Scratch& folder, const std::string& name, const std::string& bytes) {
  std::ofstream(folder / name, std::ios::binary) << bytes;
  return folder / name;
}

NpyArray parsed(const std::string& name, const std::string& bytes) {
  const Scratch folder;
  return readNpy(written(folder, name, bytes));
}

}  // namespace

TEST_CASE("matrices written to an npz are read back with their shapes", "[npz]") {
  Matrix weight(3, 2), bias(1, 4), empty(0, 5);
  for (Index i = 0; i < weight.size(); ++i) weight.data()[i] = static_cast<Scalar>(i) * Scalar{0.5} - 1;
  for (Index i = 0; i < bias.size(); ++i) bias.data()[i] = static_cast<Scalar>(i);
  const std::string bytes =
      writeNpz({{"layer0.weight", &weight}, {"layer0.bias", &bias}, {"none", &empty}}, {"layer0.bias"});
  CHECK(bytes ==
        writeNpz({{"layer0.weight", &weight}, {"layer0.bias", &bias}, {"none", &empty}}, {"layer0.bias"}));
  auto arrays = readNpzBytes(bytes, "weights.npz");
  REQUIRE(arrays.size() == 3);
  CHECK(arrays["layer0.weight"].type == "f4");
  CHECK(arrays["layer0.weight"].shape == std::vector<Index>{3, 2});
  CHECK(arrays["layer0.bias"].shape == std::vector<Index>{4});
  CHECK(arrays["none"].shape == std::vector<Index>{0, 5});
  CHECK(arrays["layer0.weight"].reals("w") == std::vector<double>{-1, -0.5, 0, 0.5, 1, 1.5});
  const Matrix back = arrays["layer0.weight"].matrix("w");
  CHECK(back.rows() == 3);
  CHECK(back(2, 1) == Scalar{1.5});

  const Scratch folder;
  CHECK(readNpz(written(folder, "roundtrip.npz", bytes)).at("layer0.bias").integers("b") ==
        std::vector<std::int64_t>{0, 1, 2, 3});
}

TEST_CASE("arrays of every number type are converted", "[npz]") {
  CHECK(parsed("i1", npy("|i1", "(2,)", raw<std::int8_t>({-1, 5}))).integers("x") ==
        std::vector<std::int64_t>{-1, 5});
  CHECK(parsed("b1", npy("|b1", "(2,)", raw<std::int8_t>({0, 1}))).integers("x") ==
        std::vector<std::int64_t>{0, 1});
  CHECK(parsed("u2", npy("<u2", "(1,)", raw<std::uint16_t>({65535}))).reals("x") ==
        std::vector<double>{65535});
  CHECK(parsed("i8", npy("<i8", "()", raw<std::int64_t>({-7}))).integers("x") ==
        std::vector<std::int64_t>{-7});
  CHECK(parsed("f2", npy("<f2", "(3,)", raw<std::uint16_t>({0x3C00, 0xC100, 0x0001}))).reals("x") ==
        std::vector<double>{1.0, -2.5, 0x1p-24});
  CHECK(parsed("big", npy(">i4", "(2,)", std::string("\0\0\0\1\0\0\1\0", 8))).integers("x") ==
        std::vector<std::int64_t>{1, 256});
  CHECK(
      parsed("fortran", npy("<i4", "(2, 3)", raw<std::int32_t>({1, 4, 2, 5, 3, 6}), "True")).integers("x") ==
      std::vector<std::int64_t>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("an array that is not what was asked for is named with the reason", "[npz]") {
  CHECK_THROWS_WITH(parsed("text", npy("<U2", "(1,)", raw<std::int32_t>({65, 66}))).reals("a.npz: names"),
                    "a.npz: names: is of type 'U2'; an array of numbers");
  CHECK_THROWS_WITH(parsed("pickle", npy("|O", "(1,)", "junk")).integers("a.npz: adj"),
                    "a.npz: adj: is pickled Python objects, which only Python can read; save plain arrays");
  CHECK_THROWS_WITH(parsed("half", npy("<f4", "(2,)", raw<float>({1.0F, 0.5F}))).integers("labels"),
                    "labels: element 1 is not a whole number");
  CHECK_THROWS_WITH(parsed("huge", npy("<u8", "(1,)", raw<std::uint64_t>({~0ULL}))).integers("labels"),
                    "labels: element 0 is too large for a 64-bit integer");
  CHECK_THROWS_WITH(parsed("cube", npy("<f4", "(1, 1, 1)", raw<float>({1.0F}))).matrix("cube"),
                    "cube: has 3 dimensions; a matrix has two");
}

TEST_CASE("a damaged npy file is refused with its name", "[npz]") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(parsed("short.npy", "\x93NUM"), Contains("short.npy: no numpy header"));
  CHECK_THROWS_WITH(parsed("cut.npy", npy("<f4", "(2,)", "").substr(0, 30)),
                    Contains("the numpy header ends early"));
  CHECK_THROWS_WITH(parsed("few.npy", npy("<f4", "(3,)", raw<float>({1.0F}))),
                    Contains("holds 4 bytes of elements; its header promises 12"));
  CHECK_THROWS_WITH(parsed("lie.npy", npy("<f4", "(999999999999, 999999999999)", "")),
                    Contains("the shape in the header is impossibly large"));
  CHECK_THROWS_WITH(parsed("minus.npy", npy("<f4", "(-3,)", "")),
                    Contains("the numpy header cannot be understood"));
  CHECK_THROWS_WITH(parsed("type.npy", npy("<V", "(3,)", "abc")),
                    Contains("cannot be read; numbers or text can"));
  CHECK_THROWS_AS(readNpzBytes("PK not a zip", "a.npz"), DamagedInput);
  CHECK_THROWS_AS(readNpz("/nonexistent/a.npz"), DamagedInput);
}

TEST_CASE("a truncated or altered npz is refused with file and member", "[npz]") {
  using Catch::Matchers::Contains;
  Matrix m(8, 8);
  m.fill(1);
  const std::string bytes = writeNpz({{"m", &m}}, {});
  CHECK_THROWS_WITH(readNpzBytes(bytes.substr(0, bytes.size() / 2), "a.npz"),
                    Contains("a.npz: is not a readable .npz (zip) archive"));
  std::string altered = bytes;
  altered[200] = static_cast<char>(altered[200] ^ 1);  // inside the elements: only the checksum can know
  CHECK_THROWS_WITH(readNpzBytes(altered, "a.npz"), "a.npz: m.npy: cannot be unpacked: CRC error");
}
