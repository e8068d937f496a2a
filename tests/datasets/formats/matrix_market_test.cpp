#include "tests/datasets/loading.h"

using namespace halo;

namespace {

const std::string kBanner = "%%MatrixMarket matrix coordinate ";
const std::string kEntries = "3 3 2\n2 1\n3 2\n";

std::string with(const std::string& field, const std::string& symmetry, const std::string& entry) {
  return kBanner + field + " " + symmetry + "\n3 3 1\n2 1" + entry + "\n";
}

}  // namespace

TEST_CASE("a banner of another spelling is read with a remark", "[matrix-market]") {
  for (const std::string banner :
       {"%MatrixMarket matrix coordinate pattern general", "% MatrixMarket matrix coordinate pattern general",
        "%% MatrixMarket matrix coordinate pattern general",
        "%%%MatrixMarket matrix coordinate pattern general",
        "%%Matrix Market matrix coordinate pattern general",
        "#MatrixMarket matrix coordinate pattern general", "MatrixMarket matrix coordinate pattern general",
        "  %%MatrixMarket matrix coordinate pattern general",
        "\n%%MatrixMarket matrix coordinate pattern general"}) {
    CAPTURE(banner);
    const Dataset set = loadText("a.mtx", banner + "\n" + kEntries);
    CHECK(set.vertices() == 3);
    CHECK(set.arcs.nonzeros() == 4);
    CHECK(remarks(set, "read as `%%MatrixMarket` on line 1"));
    CHECK(refusalOf("a.txt", banner + "\n4 7 3\n2 1\n3 2\n4 3\n")
              .ends_with(": a matrix of 4 × 7 is no graph; as many columns as rows"));
  }
  for (const std::string banner : {"%%MatrixMarket matrix coordinate pattern general",
                                   "%%matrixmarket  MATRIX\tCoordinate   Pattern General  "})
    CHECK_FALSE(remarks(loadText("a.mtx", banner + "\n" + kEntries), "on line 1"));
  // a comment that speaks of it is none
  CHECK(loadText("a.txt", "# a graph, from the MatrixMarket\n0 1\n").vertices() == 2);
}

TEST_CASE("a banner below comments is read with a remark or refused, and is never an edge list",
          "[matrix-market]") {
  for (const std::string comments :
       {"% made by x\n", "# made by x\n", "\n% a\n\n# b\n", "% x\n% MatrixMarkets are everywhere\n  "}) {
    CAPTURE(comments);
    const Dataset set = loadText("a.mtx", comments + kBanner + "pattern general\n" + kEntries);
    CHECK(set.vertices() == 3);
    CHECK(set.arcs.nonzeros() == 4);
    CHECK(remarks(set, "read as `%%MatrixMarket` on line 1"));
    CHECK(refusalOf("a.txt", comments + kBanner + "real general\n4 7 2\n1 2 0.5\n3 4 0.25\n")
              .ends_with(": a matrix of 4 × 7 is no graph; as many columns as rows"));
  }
  CHECK(refusalOf("a.mtx", "% x\n" + kBanner + "real general\n5 5 3\n2 1 0.5\n4 3 0.25\n") ==
        "a.mtx:3: promises 3 entries; the file holds 2");
  CHECK(refusalOf("a.mtx", "# x\n%%MatrixMarket matrix array real general\n2 2\n1 0\n0 1\n")
            .starts_with("a.mtx:2:23: 'array' cannot be read; a graph is a"));
  CHECK(loadText("a.mtx", "% x\n%MatrixMarket matrix coordinate pattern symmetric\n" + kEntries, "", true)
            .arcs.nonzeros() == 4);
  for (const std::string comments :
       {"# x\n# MatrixMarket is where it is from\n", "# x\n# MatrixMarket matrix files have another form\n"})
    CHECK(loadText("a.txt", comments + "0 1\n").vertices() == 2);
  CHECK(loadText("a.txt", "# x\n0 1\n%%MatrixMarket matrix coordinate real general\n").vertices() == 2);
}

TEST_CASE("what the banner names has to be one of the words there are", "[matrix-market]") {
  CHECK(refusalOf("a.mtx", with("pattern", "nonsense", "")) ==
        "a.mtx:1:42: 'nonsense' cannot be read; general, symmetric, skew-symmetric or hermitian");
  CHECK(refusalOf("a.mtx", with("reel", "general", " 1")) ==
        "a.mtx:1:34: 'reel' cannot be read; real, integer, unsigned-integer, complex or pattern");
  CHECK(refusalOf("a.mtx", kBanner + "pattern\n" + kEntries) ==
        "a.mtx:1: the banner ends early; general, symmetric, skew-symmetric or hermitian");
  CHECK(refusalOf("a.mtx", kBanner + "pattern general twice\n" + kEntries) ==
        "a.mtx:1:50: 'twice' is one too many; `%%MatrixMarket matrix coordinate FIELD SYMMETRY`");
  CHECK(refusalOf("a.mtx", with("pattern", "skew-symmetric", "")).starts_with("a.mtx:1: a skew-symmetric"));
  CHECK(refusalOf("a.mtx", with("real", "hermitian", " 1"))
            .starts_with("a.mtx:1: a hermitian matrix is complex"));
  CHECK(refusalOf("a.mtx", "%%MatrixMarket vector coordinate real general\n" + kEntries)
            .starts_with("a.mtx:1:16: 'vector' cannot be read; a graph is a"));
  CHECK(refusalOf("a.mtx", "%%MatrixMarket matrix coordinates real general\n" + kEntries)
            .starts_with("a.mtx:1:23: 'coordinates' cannot be read; a graph is a"));
}

TEST_CASE("entries have the values that the banner names", "[matrix-market]") {
  for (const std::string value : {"1", "-2.5", "+3.", ".5e-3", "1E+20", "1.5d2", "nan", "-Inf", "1e400"})
    CHECK(loadText("a.mtx", with("real", "general", " " + value)).arcs.nonzeros() == 2);
  for (const std::string value : {"x", "1.2.3", "1e", "e5", ".", "-", "0x10", "1,5"}) {
    CAPTURE(value);
    CHECK(refusalOf("a.mtx", with("real", "general", " " + value)).starts_with("a.mtx:3:"));
  }
  CHECK(refusalOf("a.mtx", with("real", "general", " x")) ==
        "a.mtx:3:5: 'x' is not a value; the banner says real");
  CHECK(refusalOf("a.mtx", with("real", "symmetric", "")) ==
        "a.mtx:3: the line ends early; a value, for the banner says real");
  CHECK(refusalOf("a.mtx", with("pattern", "general", " 1")) ==
        "a.mtx:3:5: '1' is one too many; the banner says pattern");
  CHECK(loadText("a.mtx", with("integer", "skew-symmetric", " -7")).arcs.nonzeros() == 2);
  CHECK(refusalOf("a.mtx", with("integer", "general", " 7.5")) ==
        "a.mtx:3:5: '7.5' is not a value; the banner says integer");
  CHECK(loadText("a.mtx", with("complex", "hermitian", " 1 -0.5")).arcs.nonzeros() == 2);
  CHECK(refusalOf("a.mtx", with("complex", "general", " 1")) ==
        "a.mtx:3: the line ends early; a value, for the banner says complex");
  CHECK(refusalOf("a.mtx", with("complex", "general", " 1 2 3")) ==
        "a.mtx:3:9: '3' is one too many; the banner says complex");
}

TEST_CASE("the size line holds three numbers", "[matrix-market]") {
  const auto size = [](const std::string& line) {
    return refusalOf("a.mtx", kBanner + "pattern general\n" + line + "\n2 1\n");
  };
  CHECK(size("3 3 1 9") == "a.mtx:2:7: '9' is one too many; `ROWS COLUMNS ENTRIES`");
  CHECK(size("3 3 1 x").starts_with("a.mtx:2:7: 'x' is one too many"));
  CHECK(size("3 3") == "a.mtx:2: the line ends early; the number of entries");
  CHECK(size("3 3 -1") == "a.mtx:2: -1 entries cannot be; a number from 0");
  CHECK(size("3 3 1.0").starts_with("a.mtx:2:5: '1.0' is not a whole number"));
}

TEST_CASE("free format is read", "[matrix-market]") {
  const Dataset set = loadText("freeformat.mtx",
                               "%%MatrixMarket  MATRIX    Coordinate    Real General\n\n% a comment\n   \n"
                               "   5  5         8\n\n1 1  1.0\n2 2       10.5\n3 3             1.5e-2\n"
                               "4 4                     -2.8E2\n5 5                              12.\n"
                               "     1      4      6\n     4      2      250.5\n     4      5      33.32\n\n",
                               "", /*directed=*/true);
  CHECK(set.vertices() == 5);
  CHECK(set.arcs.nonzeros() == 3);
  CHECK(rowOf(set, 3) == std::vector<Vertex>{0});
  CHECK(remarks(set, "5 self loops removed"));
}

TEST_CASE("whole numbers without a sign are a kind of their own", "[matrix-market]") {
  const std::string banner = "%%MatrixMarket matrix coordinate unsigned-integer symmetric\n2 2 1\n2 1 ";
  CHECK(loadText("a.mtx", banner + "7\n").arcs.nonzeros() == 2);
  CHECK(refusalOf("a.mtx", banner + "0.5\n") ==
        "a.mtx:3:5: '0.5' is not a value; the banner says unsigned-integer");
  CHECK(loadText("a.mtx", banner + "+7\n").arcs.nonzeros() == 2);
  CHECK(refusalOf("a.mtx", banner + "-5\n") ==
        "a.mtx:3:5: '-5' is not a value; the banner says unsigned-integer");
}

TEST_CASE("a skew-symmetric matrix has nothing on its diagonal", "[matrix-market]") {
  const auto file = [](const std::string& symmetry, const std::string& last) {
    return kBanner + "real " + symmetry + "\n3 3 2\n2 1 1\n" + last + "\n";
  };
  CHECK(refusalOf("a.mtx", file("skew-symmetric", "1 1 1")) ==
        "a.mtx:4: row 1, column 1 is on the diagonal; a skew-symmetric matrix has no entries there");
  CHECK(loadText("a.mtx", file("skew-symmetric", "3 1 1")).arcs.nonzeros() == 4);
  CHECK(loadText("a.mtx", file("symmetric", "1 1 1")).arcs.nonzeros() == 2);
  CHECK(loadText("a.mtx", file("general", "1 1 1")).arcs.nonzeros() == 2);
}

TEST_CASE("zeros that a matrix stores are arcs, which is remarked", "[matrix-market]") {
  const std::string size = "3 3 3\n";
  const auto read = [&](const std::string& field, const std::string& entries) {
    return loadText("a.mtx", "%%MatrixMarket matrix coordinate " + field + " general\n" + size + entries);
  };
  const Dataset set = read("real", "1 2 0.0e5\n2 3 -0\n3 1 1e-3\n");
  CHECK(set.arcs.nonzeros() == 6);
  CHECK(remarks(set, "2 entries of the matrix are zeros that the file stores; each is an arc"));
  CHECK(remarks(read("complex", "1 2 0 1\n2 3 0 0\n3 1 1 0\n"), "1 entry of the matrix is a zero"));
  CHECK_FALSE(remarks(read("real", "1 2 nan\n2 3 .5\n3 1 1\n"), "zero"));
  CHECK_FALSE(remarks(read("pattern", "1 2\n2 3\n3 1\n"), "zero"));
}

TEST_CASE("commas between the numbers of a matrix are refused, and no row or column 0 is",
          "[matrix-market]") {
  const std::string banner = kBanner + "real general\n",
                    blanks = "between the numbers; MatrixMarket has blanks";
  CHECK(refusalOf("a.mtx", banner + "3,3,1\n1,2,1\n") == "a.mtx:2:2: ',' " + blanks);
  CHECK(refusalOf("a.mtx", banner + "3 3 1\n1,2,1\n") == "a.mtx:3:2: ',' " + blanks);
  CHECK(refusalOf("a.mtx", banner + "3 3 1\n1;2;1\n") == "a.mtx:3:2: ';' " + blanks);
  CHECK(refusalOf("a.mtx", banner + "3 3 1\n0 2 1\n") == "a.mtx:3:1: row 0 does not exist; 1 to 3");
  CHECK(refusalOf("a.mtx", banner + "3 3 1\n 1  4 1\n") == "a.mtx:3:5: column 4 does not exist; 1 to 3");
}

TEST_CASE("a MatrixMarket file without entries is remarked", "[matrix-market]") {
  CHECK(remarks(loadText("a.mtx", kBanner + "pattern general\n3 3 0\n"), "the file holds no edge"));
  CHECK_FALSE(remarks(loadText("a.mtx", kBanner + "pattern general\n3 3 1\n1 2\n"), "no edge"));
}

TEST_CASE("an array of MatrixMarket beside a matrix is no graph", "[matrix-market]") {
  const std::string array = "%%MatrixMarket matrix array real general\n3 2\n0\n1\n0\n1\n1\n2\n";
  for (const char* format : {"", "matrix-market"}) {
    CAPTURE(format);
    const OwnCache own;
    own.write("set/x.mtx", kBanner + "pattern symmetric\n3 3 2\n2 1\n3 2\n");
    own.write("set/x_coord.mtx", array);
    DatasetRequest request;
    request.name = own.path("set").string();
    request.format = format;
    const Dataset set = loadDataset(request);
    CHECK(set.arcs.nonzeros() == 4);
    CHECK(remarks(set, "not read: x_coord.mtx (matrix-market, but no graph)"));
  }
  const OwnCache own;
  own.write("set/edges.txt", "0 1\n1 2\n");
  own.write("set/x_coord.mtx", array);
  DatasetRequest request;
  request.name = own.path("set").string();
  CHECK(loadDataset(request).vertices() == 3);
}
