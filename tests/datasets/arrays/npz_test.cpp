#include "datasets/arrays/npz.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>

#include "datasets/input/limits.h"
#include "engine/base/problem.h"
#include "tests/support/array_files.h"
#include "tests/support/packings.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

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
  CHECK(parsed("i1", npyFile("|i1", "(2,)", bytesOf<std::int8_t>({-1, 5}))).integers("x") ==
        std::vector<std::int64_t>{-1, 5});
  const NpyArray flags = parsed("b1", npyFile("|b1", "(2,)", bytesOf<std::int8_t>({0, 1})));
  CHECK(flags.reals("x") == std::vector<double>{0, 1});
  CHECK_THROWS_WITH(flags.integers("x"), "x: is of type 'b1', true and false; whole numbers");
  CHECK(parsed("u2", npyFile("<u2", "(1,)", bytesOf<std::uint16_t>({65535}))).reals("x") ==
        std::vector<double>{65535});
  CHECK(parsed("i8", npyFile("<i8", "()", bytesOf<std::int64_t>({-7}))).integers("x") ==
        std::vector<std::int64_t>{-7});
  CHECK(parsed("f2", npyFile("<f2", "(3,)", bytesOf<std::uint16_t>({0x3C00, 0xC100, 0x0001}))).reals("x") ==
        std::vector<double>{1.0, -2.5, 0x1p-24});
  CHECK(parsed("big", npyFile(">i4", "(2,)", std::string("\0\0\0\1\0\0\1\0", 8))).integers("x") ==
        std::vector<std::int64_t>{1, 256});
  CHECK(parsed("fortran", npyFile("<i4", "(2, 3)", bytesOf<std::int32_t>({1, 4, 2, 5, 3, 6}), "True"))
            .integers("x") == std::vector<std::int64_t>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("an array that is not what was asked for is named with the reason", "[npz]") {
  CHECK_THROWS_WITH(
      parsed("text", npyFile("<U2", "(1,)", bytesOf<std::int32_t>({65, 66}))).reals("a.npz: names"),
      "a.npz: names: is of type 'U2'; an array of numbers");
  CHECK_THROWS_WITH(parsed("pickle", npyFile("|O", "(1,)", "junk")).integers("a.npz: adj"),
                    "a.npz: adj: is pickled Python objects, which only Python can read; save plain arrays");
  CHECK_THROWS_WITH(parsed("half", npyFile("<f4", "(2,)", bytesOf<float>({1.0F, 0.5F}))).integers("labels"),
                    "labels: element 1 is not a whole number");
  CHECK_THROWS_WITH(
      parsed("huge", npyFile("<u8", "(1,)", bytesOf<std::uint64_t>({~0ULL}))).integers("labels"),
      "labels: element 0 is too large for a 64-bit integer");
  CHECK_THROWS_WITH(parsed("cube", npyFile("<f4", "(1, 1, 1)", bytesOf<float>({1.0F}))).matrix("cube"),
                    "cube: has 3 dimensions; a matrix has two");
}

TEST_CASE("a damaged npy file is refused with its name", "[npz]") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(parsed("short.npy", "\x93NUM"), Contains("short.npy: no numpy header"));
  CHECK_THROWS_WITH(parsed("cut.npy", npyFile("<f4", "(2,)", "").substr(0, 30)),
                    Contains("the numpy header ends early"));
  CHECK_THROWS_WITH(parsed("few.npy", npyFile("<f4", "(3,)", bytesOf<float>({1.0F}))),
                    Contains("holds 4 bytes of elements; its header promises 12"));
  CHECK_THROWS_WITH(parsed("lie.npy", npyFile("<f4", "(999999999999, 999999999999)", "")),
                    Contains("the shape in the header is impossibly large"));
  CHECK_THROWS_WITH(parsed("beyond.npy", npyFile("<f4", "(99999999999999999999,)", "")),
                    Contains("the numpy header cannot be understood"));
  CHECK_THROWS_WITH(parsed("zeros.npy", npyFile("<f4", "(4611686018427387904, 4611686018427387904, 0)", "")),
                    Contains("the shape in the header is impossibly large"));
  CHECK_THROWS_WITH(parsed("objects.npy", npyFile("|O", "(4611686018427387904, 4)", "junk")),
                    Contains("the shape in the header is impossibly large"));
  CHECK_THROWS_WITH(parsed("more.npy", npyFile("<f4", "(1,)", bytesOf<float>({1.0F, 2.0F}))),
                    Contains("holds 8 bytes of elements; its header promises 4"));
  for (const char* shape : {"(2 2)", "(,)", "(2,,2)", "2", "(2)", "(2", "[2]", "(2x,)", "(+2,)", "(2.0,)"})
    CHECK_THROWS_WITH(parsed("shape.npy", npyFile("<f4", shape, "")),
                      Contains("the numpy header cannot be understood"));
  CHECK_THROWS_WITH(parsed("order.npy", npyFile("<f4", "(1,)", "abcd", "Maybe")),
                    Contains("the numpy header cannot be understood"));
  CHECK_THROWS_WITH(parsed("minus.npy", npyFile("<f4", "(-3,)", "")),
                    Contains("the numpy header cannot be understood"));
  CHECK_THROWS_WITH(parsed("type.npy", npyFile("<V", "(3,)", "abc")),
                    Contains("cannot be read; numbers or text can"));
  CHECK_THROWS_AS(readNpzBytes("PK not a zip", "a.npz"), DamagedInput);
  CHECK_THROWS_AS(readNpz("/nonexistent/a.npz"), DamagedInput);
}

TEST_CASE("arrays of every order, width and kind of text keep their elements", "[npz]") {
  using Integers = std::vector<std::int64_t>;
  CHECK(parsed("python2", npyFile("<i4", "(2L, 1L)", bytesOf<std::int32_t>({7, 8}))).shape ==
        std::vector<Index>{2, 1});
  CHECK(parsed("half", npyFile(">f2", "(2,)", std::string("\x3c\0\xc1\0", 4))).reals("x") ==
        std::vector<double>{1.0, -2.5});
  CHECK(parsed("double", npyFile(">f8", "()", std::string("\xbf\xf8\0\0\0\0\0\0", 8))).reals("x") ==
        std::vector<double>{-1.5});
  CHECK(parsed("big", npyFile(">u8", "(1,)", std::string("\0\0\0\0\0\0\1\2", 8))).integers("x") ==
        Integers{258});
  const NpyArray cube =
      parsed("cube", npyFile(">i2", "(2, 1, 2)", std::string("\0\1\0\3\0\2\0\4", 8), "True"));
  CHECK(cube.integers("x") == Integers{1, 2, 3, 4});
  const NpyArray letters = parsed("letters", npyFile(">U1", "(2,)", std::string("\0\0\0A\0\0\0B", 8)));
  CHECK(letters.type == "U1");
  CHECK(letters.bytes == std::string("A\0\0\0B\0\0\0", 8));
  CHECK(parsed("empty", npyFile("<f4", "(0, 3)", "")).count() == 0);
  CHECK(parsed("wide", npyFile("<f4", "(0, 4611686018427387904)", "")).count() == 0);
  std::string second = npyFile("<i4", "(1,)", bytesOf<std::int32_t>({5}));
  second[6] = 2;  // version 2 has four bytes of length
  second.insert(10, 2, '\0');
  CHECK(parsed("version2", second).integers("x") == Integers{5});
}

TEST_CASE("a packed npy file is read as the plain one", "[npz]") {
  const std::string plain = npyFile("<i4", "(3,)", bytesOf<std::int32_t>({4, 5, 6}));
  for (auto* pack : {gzipped, bzipped, xzipped, zstandard}) {
    CHECK(parsed("a.npy", pack(plain)).integers("x") == std::vector<std::int64_t>{4, 5, 6});
    CHECK_THROWS_AS(parsed("a.npy", pack(plain + "x")), DamagedInput);
    CHECK_THROWS_AS(parsed("a.npy", pack(plain.substr(0, plain.size() - 1))), DamagedInput);
  }
}

TEST_CASE("an archive that contradicts itself is refused", "[npz]") {
  using Catch::Matchers::Contains;
  const std::string array = npyFile("<i4", "(1,)", bytesOf<std::int32_t>({1}));
  const auto replaced = [](std::string bytes, const std::string& from, const std::string& to, int times) {
    for (std::size_t at = bytes.find(from); at != std::string::npos && times-- > 0;
         at = bytes.find(from, at + 1))
      bytes.replace(at, from.size(), to);
    return bytes;
  };
  const std::string two = zipOf({{"a.npy", array}, {"b.npy", array}});
  REQUIRE(readNpzBytes(two, "x.npz").size() == 2);
  CHECK_THROWS_WITH(readNpzBytes(replaced(two, "b.npy", "a.npy", 2), "x.npz"),
                    "x.npz: a.npy: is in the archive twice; each name once");
  CHECK_THROWS_WITH(readNpzBytes(zipOf({{"a.npy", array}, {"a", array}}), "x.npz"),
                    "x.npz: a: is in the archive twice; each name once");
  const std::string contradicts =
      "x.npz: contradicts itself: sizes or names differ, or something follows the end of "
      "the archive; .npz (zip) archive as its writer left it";
  CHECK_THROWS_WITH(readNpzBytes(replaced(two, "b.npy", "c.npy", 1), "x.npz"), contradicts);
  CHECK_THROWS_WITH(readNpzBytes(two + "garbage", "x.npz"), contradicts);
  CHECK_THROWS_WITH(readNpzBytes(two + std::string(100, '\0'), "x.npz"), contradicts);
  CHECK_THROWS_AS(readNpzBytes("garbage" + two, "x.npz"), DamagedInput);
  CHECK_THROWS_AS(readNpzBytes(two + two, "x.npz"), DamagedInput);
  std::string locked = two;
  for (const char* header : {"PK\x03\x04", "PK\x01\x02"})
    for (std::size_t at = locked.find(header, 0, 4); at != std::string::npos;
         at = locked.find(header, at + 1, 4))
      locked[at + (header[2] == 3 ? 6 : 8)] |= 1;
  CHECK_THROWS_WITH(readNpzBytes(locked, "x.npz"),
                    "x.npz: a.npy: is encrypted; an archive without a password");
  // a name may be a path: it is a name all the same
  const auto paths = readNpzBytes(zipOf({{"f/", ""}, {"f/a.npy", array}, {"../a.npy", array}}), "x.npz");
  CHECK(paths.size() == 2);
  CHECK(paths.contains("../a"));
  CHECK(paths.contains("f/a"));
}

TEST_CASE("an array holds what its header declares and not a byte more", "[npz]") {
  const std::string array = npyFile("<f4", "(3,)", std::string(std::size_t{50} << 20, '\0'));
  const std::string swelling = zipOf({{"a.npy", array}});
  CHECK(swelling.size() < 100'000);
  CHECK_THROWS_WITH(readNpzBytes(swelling, "x.npz"),
                    "x.npz: a.npy: holds 52428800 bytes of elements; its header promises 12");
  // an archive that lies of its sizes too
  std::string lying = swelling;
  const auto size = static_cast<std::uint32_t>(array.size() - (std::size_t{50} << 20) + 12);
  for (const auto& [header, at] : {std::pair("PK\x03\x04", 22), std::pair("PK\x01\x02", 24)})
    std::memcpy(lying.data() + lying.find(header) + at, &size, 4);
  CHECK_THROWS_WITH(readNpzBytes(lying, "x.npz"),
                    "x.npz: a.npy: holds more than 12 bytes of elements; its header promises 12");
  CHECK_THROWS_WITH(
      parsed("a.npy.gz", gzipped(array)),
      Catch::Matchers::EndsWith("holds more than 12 bytes of elements; its header promises 12"));
  std::string wide = array.substr(0, 200);
  wide[6] = 2;
  wide.replace(8, 4, "\xff\xff\xff\x7f");
  CHECK_THROWS_WITH(parsed("a.npy", wide),
                    Catch::Matchers::Contains("the numpy header has 2147483647 bytes"));
}

TEST_CASE("what an array declares is held against the memory before it is taken", "[npz][limits]") {
  const std::string huge = npyFile("<f4", "(2000000000,)", "");
  CHECK_THROWS_WITH(parsed("a.npy.gz", gzipped(huge)),
                    Catch::Matchers::Contains("an array of 2000000000 of type 'f4' would take 7.5 GiB; ") &&
                        Catch::Matchers::Contains("dataset.memory_limit_gib"));
  const std::string honest = npyFile("<f4", "(2560, 1024)", std::string(std::size_t{10} << 20, '\0'));
  const std::string packed = zipOf({{"a.npy", honest}, {"b.npy", honest}});
  CHECK(packed.size() < honest.size() / 400);
  CHECK(readNpzBytes(packed, "x.npz").at("b").matrix("b").cols() == 1024);
  const MemoryLimit limit(0.015);
  CHECK_THROWS_WITH(
      readNpzBytes(packed, "x.npz"),
      Catch::Matchers::StartsWith("x.npz: b.npy: an array of 2560 × 1024 of type 'f4' would take 10.0 "
                                  "MiB beside ") &&
          Catch::Matchers::Contains(
              " that are held; dataset.memory_limit_gib"));  // a.npy, and what unpacks it
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

TEST_CASE("a header of an array that has a key twice is refused", "[npz]") {
  const std::string array = npyFile("<f4", "(2, 4)", bytesOf<float>({1, 2, 3, 4, 5, 6, 7, 8}));
  CHECK(parsed("a.npy", array).shape == std::vector<Index>{2, 4});
  for (const char* again :
       {"(2, 4), 'shape': (4, 2)", "(2, 4), 'descr': '<i4'", "(2, 4), 'fortran_order': True"})
    CHECK_THROWS_WITH(parsed("a.npy", npyFile("<f4", again, bytesOf<float>({1, 2, 3, 4, 5, 6, 7, 8}))),
                      Catch::Matchers::Contains("a.npy: the numpy header has a key twice"));
}

TEST_CASE("a header of an array holds three keys and nothing else", "[npz]") {
  using Catch::Matchers::Contains;
  const auto array = [](const std::string& dictionary) {
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(dictionary.size());
    return bytes + '\0' + dictionary + bytesOf<float>({1, 2});
  };
  CHECK(parsed("a.npy", array(R"({"shape": (2,), 'fortran_order': False, 'descr': '<f4'}  )")).shape ==
        std::vector<Index>{2});
  const std::string keys = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)";
  for (const auto& [dictionary, problem] : std::vector<std::pair<std::string, std::string>>{
           {keys, "cannot be understood"},
           {keys + "} x\n", "goes on behind its dictionary"},
           {keys + "}{}", "goes on behind its dictionary"},
           {keys + ", 'more': 1}", "has the key 'more', and there are descr, fortran_order and shape"},
           {keys + ",,}", "cannot be understood"},
           {"{'descr': '<f4', 'fortran_order': False}", "cannot be understood"},
           {"{'descr': '<f4' 'fortran_order': False, 'shape': (2,)}", "cannot be understood"}})
    CHECK_THROWS_WITH(parsed("a.npy", array(dictionary)),
                      Contains("a.npy: the numpy header " + problem + "; an array as numpy.save writes it"));
}

TEST_CASE("a truth that is neither byte is refused with its element", "[npz]") {
  CHECK(parsed("a.npy", npyFile("|b1", "(3,)", std::string("\1\0\1", 3))).count() == 3);
  CHECK_THROWS_WITH(parsed("a.npy", npyFile("|b1", "(3,)", std::string("\1\2\1", 3))),
                    Catch::Matchers::Contains("a.npy: element 1 is neither true nor false; a byte 1 or 0"));
}

TEST_CASE("a version of numpy's format that there is not is refused", "[npz]") {
  for (const char version : {'\0', '\4', '\11'}) {
    std::string bytes = longs({5});
    bytes[6] = version;
    CHECK_THROWS_WITH(
        parsed("later", bytes),
        Catch::Matchers::Contains("is of version " + std::to_string(int{version}) + ", and there are 1"));
  }
}
