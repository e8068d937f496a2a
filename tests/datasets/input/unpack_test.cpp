#include "datasets/input/unpack.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "datasets/load.h"
#include "datasets/overrides.h"
#include "engine/base/problem.h"
#include "tests/datasets/own_cache.h"
#include "tests/datasets/refusal.h"
#include "tests/support/array_files.h"
#include "tests/support/packings.h"
#include "tests/support/places.h"

using namespace halo;

namespace {

struct Packing {
  const char* name;
  std::string (*pack)(const std::string& text);
  const char* ends;
};
const Packing kPackings[] = {
    {"gzip", gzipped, "the gzip data end early; is the download complete?"},
    {"bzip2", bzipped, "the bzip2 data end early; is the download complete?"},
    {"xz", xzipped, "the xz data end early; is the download complete?"},
    {"zstd", zstandard, "the zstd data end early; is the download complete?"},
};

Dataset load(const std::filesystem::path& path, const std::string& format = "") {
  DatasetRequest request;
  request.name = path.string();
  request.format = format;
  return loadDataset(request);
}

/// What is said of a file with these bytes, without its path.
std::string said(const std::string& name, const std::string& bytes) {
  const OwnCache own;
  const auto path = own.write(name, bytes);
  try {
    requireData(path);
  } catch (const DamagedInput& error) {
    return std::string(error.what()).substr(path.string().size() + 2);
  }
  return "data";
}

std::string longText() {
  std::string text;
  for (int v = 0; v < 50'000; ++v)
    text += std::to_string(v) + " " + std::to_string((v * 7919) % 50'000) + "\n";
  return text;
}

/// A tar archive with one file, as `tar --format=ustar` makes it; `magic` false: as before POSIX.
std::string tarOf(const std::string& name, const std::string& contents, bool magic = true) {
  std::string header(512, '\0');
  const auto put = [&](std::size_t at, const std::string& field) { header.replace(at, field.size(), field); };
  put(0, name);
  put(100, "0000644");
  char size[12];
  std::snprintf(size, sizeof size, "%011zo", contents.size());
  put(124, size);
  put(136, "00000000000");
  put(156, "0");
  if (magic) put(257, std::string("ustar\00000", 8));
  put(148, "        ");
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  char digits[8];
  std::snprintf(digits, sizeof digits, "%06o", sum);
  put(148, digits);
  header[154] = '\0';
  std::string padded = contents;
  padded.resize((contents.size() + 511) / 512 * 512);
  return header + padded + std::string(1024, '\0');
}

}  // namespace

TEST_CASE("text is read from every packing, one stream or several", "[packed]") {
  const OwnCache own;
  const std::string text = longText(), half = text.substr(0, text.size() / 2),
                    rest = text.substr(half.size());
  for (const Packing& packing : kPackings) {
    CAPTURE(packing.name);
    CHECK(viewOf(contentsOf(own.write("a", packing.pack(text)))) == text);
    CHECK(viewOf(contentsOf(own.write("a", packing.pack(half) + packing.pack(rest)))) == text);
    CHECK(viewOf(contentsOf(own.write("a", packing.pack("") + packing.pack(text) + packing.pack("")))) ==
          text);
    CHECK(viewOf(contentsOf(own.write("a", packing.pack(text) + std::string(512, '\0')))) == text);
    CHECK(viewOf(contentsOf(own.write("a", packing.pack("\xef\xbb\xbf" + text)))) == text);
    CHECK(headOf(own.path("a"), 10) == text.substr(0, 10));
    CHECK(contentsOf(own.write("a", packing.pack(""))).empty());
    CHECK(load(own.write("graph.txt", packing.pack("0 1\n1 2\n"))).arcs.nonzeros() == 4);
  }
  CHECK(viewOf(contentsOf(
            own.write("a", std::string("\x50\x2a\x4d\x18\3\0\0\0abc", 11) + zstandard(text)))) == text);
}

TEST_CASE("text comes through a pipe from every stream", "[packed]") {
  for (const Packing& packing : kPackings) {
    CAPTURE(packing.name);
    const std::string bytes = packing.pack("0 1\n1 2\n");
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    REQUIRE(::write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    ::close(ends[1]);
    CHECK(viewOf(contentsOf("/dev/fd/" + std::to_string(ends[0]))) == "0 1\n1 2\n");
    ::close(ends[0]);
  }
}

TEST_CASE("a packing that is cut off, altered or followed by something is refused", "[packed]") {
  const OwnCache own;
  const std::string text = longText();
  for (const Packing& packing : kPackings) {
    CAPTURE(packing.name);
    const std::string bytes = packing.pack(text);
    for (const std::size_t length : {bytes.size() - 1, bytes.size() / 2, std::size_t{20}}) {
      CAPTURE(length);
      const auto path = own.write("cut", bytes.substr(0, length));
      CHECK_THROWS_WITH(contentsOf(path), path.string() + ": " + packing.ends);
    }
    std::string altered = bytes;
    altered[bytes.size() / 2] = static_cast<char>(altered[bytes.size() / 2] ^ 0x55);
    CHECK_THROWS_AS(contentsOf(own.write("altered", altered)), DamagedInput);
    for (const char* more : {"0 1\n", "B", "\x1fjunk", "(\xb5/junk"})
      CHECK_THROWS_AS(contentsOf(own.write("more", bytes + more)), DamagedInput);
  }
  const auto more = own.write("more.gz", gzipped("0 1\n") + "1 2\n");
  CHECK_THROWS_WITH(contentsOf(more),
                    more.string() + ": something else follows the gzip data; only gzip data may follow");
}

TEST_CASE("a tar archive is named with what to do, packed or not", "[packed]") {
  for (const bool magic : {true, false}) {
    const std::string tar = tarOf("edges/a.txt", "0 1\n1 2\n", magic);
    CHECK(said("t.tar", tar) ==
          "is a tar archive, whose first entry is 'edges/a.txt'; unpack it (tar xf t.tar) and name what it "
          "holds");
    for (const Packing& packing : kPackings)
      CHECK_THAT(
          said("t.tar.x", packing.pack(tar)),
          Catch::Matchers::StartsWith("is a tar archive, whose first entry is 'edges/a.txt'; unpack it (tar "
                                      "xf t.tar.x)"));
  }
  const OwnCache own;
  const auto path = own.write("t.tar.gz", gzipped(tarOf("a", "0 1\n1 2\n")));
  CHECK_THROWS_WITH(load(path, "edge-list"),
                    path.string() +
                        ": is a tar archive, whose first entry is 'a'; unpack it (tar xf "
                        "t.tar.gz) and name what it holds");
  // lines of digits and blanks of the same length are none
  CHECK(said("a.txt", std::string(600, ' ') + "\n0 1\n") == "data");
}

/// ASCII as letters of `bytes` bytes, the one that says something first or last.
std::string wide(std::string_view text, std::size_t bytes, bool first) {
  const std::string zeros(bytes - 1, '\0');
  std::string all;
  for (const char c : text) all += first ? c + zeros : zeros + c;
  return all;
}

TEST_CASE("a file that is no data says what it is and what to do", "[packed]") {
  constexpr const char* kDot =
      "is a graph of Graphviz (DOT), which is not read; networkx.write_edgelist writes it as an edge list";
  constexpr const char* kParquet =
      "is a Parquet file; write its edges as CSV: pandas.read_parquet('f').to_csv('edges.csv', index=False), "
      "or arrays as .npz with numpy.savez";
  const std::pair<const char*, std::string> pointers[] = {
      {"is the pointer that Git LFS leaves instead of the file; fetch it: git lfs pull",
       "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n"},
      {"is in git-annex, and its content is not here; fetch it: git annex get f",
       "/annex/objects/SHA256E-s123--abc.txt\n"},
      {"is an HTML page, not the data; the download went to a page about them: open the address in a browser",
       "\n<!DOCTYPE html>\n<html><head>"},
      {"is an HTML page, not the data; the download went to a page about them: open the address in a browser",
       "<HTML lang=\"en\">"},
      {"is an HTML page, not the data; the download went to a page about them: open the address in a browser",
       "\xef\xbb\xbf<!DOCTYPE html>"},
      {"is an HTML page, not the data; the download went to a page about them: open the address in a browser",
       "<!-- saved --><!doctype html>"},
      {"is an HTML page, not the data; the download went to a page about them: open the address in a browser",
       "<head>\n<title>x</title>"},
      {"is the answer of a server that has no such file, not the data; see whether the address is right",
       "404: Not Found"},
      {"is the pointer that Git LFS leaves instead of the file; fetch it: git lfs pull",
       "\xef\xbb\xbfversion https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n"},
      {"is GraphML, which is not read; networkx.write_edgelist writes it as an edge list",
       "\xef\xbb\xbf<?xml version=\"1.0\"?>\n<graphml xmlns=\"x\">"},
      {"is a Pajek network, which is not read; networkx.write_edgelist writes it as an edge list",
       "\xef\xbb\xbf*Vertices 3\n1 \"a\"\n"},
      {"is the error page of a server, not the data; download it again",
       "<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code></Error>"},
      {"is GraphML, which is not read; networkx.write_edgelist writes it as an edge list",
       "<?xml version=\"1.0\"?>\n<graphml xmlns=\"x\">"},
      {"is GEXF, which is not read; networkx.write_edgelist writes it as an edge list",
       "<?xml version=\"1.0\"?>\n<gexf xmlns=\"x\">"},
      {"is GEXF, which is not read; networkx.write_edgelist writes it as an edge list", "<gexf><graph>"},
      {kDot, "graph { 0 -- 1; }\n"},
      {kDot, "strict digraph \"a b\"\n{\n 0 -> 1;\n}\n"},
      {"is a Pajek network, which is not read; networkx.write_edgelist writes it as an edge list",
       "*Vertices 3\n1 \"a\"\n"},
      {"is graph6, which is not read; networkx.write_edgelist writes it as an edge list", ">>graph6<<DQc\n"},
      {kParquet, "PAR1\x15\x04"},
      {kParquet, std::string("PAR1 \n\0\0PAR1", 12)},
      {kParquet, "PARE\x1c\x04"},
      {"is text in UTF-16; save it in UTF-8: iconv -f UTF-16LE -t UTF-8 f", wide("0 1\r\n", 2, true)},
      {"is text in UTF-16; save it in UTF-8: iconv -f UTF-16BE -t UTF-8 f", wide("a,b\n0,1\n", 2, false)},
      {"is text in UTF-32; save it in UTF-8: iconv -f UTF-32LE -t UTF-8 f", wide("0\t1\n", 4, true)},
      {"is text in UTF-32; save it in UTF-8: iconv -f UTF-32BE -t UTF-8 f", wide("0 1\n", 4, false)},
      {"is text in UTF-16; save it in UTF-8: iconv -f UTF-16LE -t UTF-8 f",
       gzipped(wide("# of ", 2, true) + "\x53\x30" + wide("\n0 1\n", 2, true))},
      {"is a 7z archive; unpack it: 7z x f", "7z\xbc\xaf\x27\x1c\0\4"},
      {"is a rar archive; unpack it: unrar x f", "Rar!\x1a\x07\x01"},
      {"is packed with lz4; unpack it: lz4 -d f", "\x04\x22\x4d\x18 abc"},
      {"is packed with compress; unpack it: gunzip f", "\x1f\x9d\x90 abc"},
      {"is packed with lzip; unpack it: lzip -d f", "LZIP\1 abc"},
      {"is packed with lzma; unpack it: unlzma f", std::string("\x5d\0\0\x80\0", 5)},
      {"is a Python pickle, which only Python can read; save its arrays with numpy.savez",
       "\x80\x04\x95 abc"},
      {"is an HDF5 file; save its arrays with numpy.savez", "\x89HDF\r\n\x1a\n"},
      {"is packed twice; unpack it once", gzipped(gzipped("0 1\n"))},
      {"is packed twice; unpack it once", xzipped(zipOf({{"a", "0 1\n"}}))},
  };
  for (const auto& [words, bytes] : pointers) CHECK(said("f", bytes) == words);
  CHECK(said("f.txt.gz", gzipped(wide("0 1\r\n", 2, true))) ==
        "is text in UTF-16; unpack it, and save it in UTF-8: iconv -f UTF-16LE -t UTF-8 f.txt");
  for (const char* text :
       {"0 1\n", "version 1\n", "html page\n", "LZIP gene\n", "PAR1 gene\n", "BZh9\n", "", "P 1\n", "7z 8\n",
        "\xef\xbb\xbf"
        "0 1\n",
        "x <html>\n", "graph [\n node [ id 0 label \"{\" ]\n", "graph\n[\n", "graph,node\n0,1\n",
        "graphs {1}\n", "* Vertices\n"}) {
    CAPTURE(text);
    CHECK(said("f", text) == "data");
  }
}

TEST_CASE("a pointer is told in every reader and in any file of a folder", "[packed]") {
  const OwnCache own;
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n";
  const std::string words =
      ": is the pointer that Git LFS leaves instead of the file; fetch it: git lfs pull";
  for (const char* format :
       {"edge-list", "metis", "matrix-market", "adjacency-list", "gml", "jlg", "pace", "npz"}) {
    CAPTURE(format);
    const auto path = own.write("pointer", pointer);
    CHECK_THROWS_WITH(load(path, format), path.string() + words);
  }
  const auto unnamed = own.write("a.txt", pointer);
  CHECK_THROWS_WITH(load(unnamed), unnamed.string() + words);
  own.write("set/edges.txt", "0 1\n1 2\n");
  own.write("set/other.bin", pointer);
  const Dataset beside = load(own.path("set"));
  CHECK(beside.remarks[0] == "not read: other.bin " + words.substr(2));
  own.write("saint/adj_full.npz", npzOf({{"data", longs({1})},
                                         {"indices", longs({1})},
                                         {"indptr", longs({0, 1, 1})},
                                         {"shape", longs({2, 2})}}));
  own.write("saint/role.json", "{}");
  own.write("saint/class_map.json", "{}");
  const auto features = own.write("saint/feats.npy", pointer);
  CHECK_THROWS_WITH(load(own.path("saint")), features.string() + words);
  const auto graph = own.write("saint/adj_full.npz", pointer);
  CHECK_THROWS_WITH(load(own.path("saint")), graph.string() + words);
  std::vector<std::string> remarks;
  const auto labels = own.write("labels", pointer);
  CHECK_THROWS_WITH(readLabelFile(labels, 2, remarks), labels.string() + words);
  CHECK_THROWS_WITH(readFeatureFile(own.write("f.npz", pointer), 2, remarks),
                    own.path("f.npz").string() + words);
  CHECK_THROWS_WITH(readSplitFile(own.write("s.npz", pointer), 2, remarks),
                    own.path("s.npz").string() + words);
}

TEST_CASE("the link of git-annex without its content is told", "[packed]") {
  const OwnCache own;
  const auto link = own.path("a.npz");
  std::filesystem::create_symlink(".git/annex/objects/ab/cd/SHA256E-s1--x/SHA256E-s1--x", link);
  const std::string words =
      link.string() + ": is in git-annex, and its content is not here; fetch it: git annex get a.npz";
  CHECK_THROWS_WITH(requireData(link), words);
  CHECK_THROWS_WITH(load(link), words);
  CHECK_THROWS_WITH(contentsOf(link), words);
  std::filesystem::create_directories(own.path(".git/annex/objects/ab/cd/SHA256E-s1--x"));
  own.write(".git/annex/objects/ab/cd/SHA256E-s1--x/SHA256E-s1--x", "0 1\n");
  CHECK(viewOf(contentsOf(link)) == "0 1\n");
}

TEST_CASE("a zip archive with one file is read, whatever lies beside the file", "[packed]") {
  const OwnCache own;
  const std::string text = "0 1\n1 2\n";
  CHECK(viewOf(contentsOf(own.write("a.zip", zipOf({{"folder/", ""}, {"folder/a.txt", text}})))) == text);
  CHECK(viewOf(contentsOf(own.write("a.zip", zipOf({{"a.txt", text}, {"__MACOSX/._a.txt", "x"}})))) == text);
  for (const char* left : {".DS_Store", "folder/.DS_Store", "Thumbs.db", "folder/desktop.ini"})
    CHECK(viewOf(contentsOf(own.write("a.zip", zipOf({{left, "x"}, {"folder/a.txt", text}})))) == text);
  for (const char* about : {"readme.html", "folder/README.txt", "License.md", "LICENCE", "readme_first.txt"})
    CHECK(viewOf(contentsOf(own.write("a.zip", zipOf({{"a.txt", text}, {about, "<html>"}})))) == text);
  CHECK(viewOf(contentsOf(own.write("a.zip", zipOf({{"readme.txt", text}})))) == text);
  CHECK_THROWS(contentsOf(own.write("a.zip", zipOf({{"a.txt", text}, {"readme.csv", text}}))));
  const auto two = own.write("two.zip", zipOf({{"a", text}, {"b", text}}));
  CHECK_THROWS_WITH(contentsOf(two), two.string() + ": holds 2 files; a zip archive with one file");
  const auto torch = own.write("x.pt", zipOf({{"x/data.pkl", "a"}, {"x/version", "3"}}));
  CHECK_THROWS_WITH(
      contentsOf(torch),
      torch.string() + ": is a PyTorch file, which only Python can read; save its arrays with numpy.savez");
}

TEST_CASE("files beside each other may have any packing", "[packed]") {
  const OwnCache own;
  own.write("set/raw/num-node-list.csv.bz2", bzipped("3\n"));
  own.write("set/raw/num-edge-list.csv.xz", xzipped("2\n"));
  own.write("set/raw/edge.csv.zst", zstandard("0,1\n1,2\n"));
  CHECK(load(own.path("set")).arcs.nonzeros() == 4);
}

TEST_CASE("the files of every folder may be packed, but for the archive of GraphSAINT", "[packed]") {
  const OwnCache own;
  for (const char* name : {"sage", "saint"})
    std::filesystem::copy(std::string(kSourceDir) + "/tests/data/good/" + name, own.path(name));
  own.write("geom/out1_graph_edges.txt", "node_id\tnode_id\n0\t1\n1\t2\n");
  own.write("geom/out1_node_feature_label.txt", "node_id\tfeature\tlabel\n2\t1,0\t1\n0\t0,1\t0\n1\t1,1\t0\n");
  own.write("musae/x_edges.csv", "id1,id2\n0,1\n1,2\n");
  own.write("musae/x_target.csv", "id,target\n2,1\n0,0\n1,0\n");
  own.write("musae/x_features.json", "{\"0\": [1], \"1\": [0, 2], \"2\": []}");
  for (const char* name : {"sage", "saint", "geom", "musae"}) {
    CAPTURE(name);
    const Dataset plain = load(own.path(name));
    std::filesystem::create_directories(own.path("packed"));
    for (const auto& entry : std::filesystem::directory_iterator(own.path(name)))
      if (entry.path().extension() != ".npz")
        own.write("packed/" + entry.path().filename().string() + ".gz",
                  gzipped(std::string(viewOf(contentsOf(entry.path())))));
      else
        std::filesystem::copy(entry.path(), own.path("packed") / entry.path().filename());
    const Dataset packed = load(own.path("packed"));
    CHECK(packed.arcs.columns == plain.arcs.columns);
    CHECK(packed.labels == plain.labels);
    CHECK(packed.features.values().size() == plain.features.values().size());
    CHECK(std::ranges::equal(packed.features.values(), plain.features.values()));
    CHECK(packed.marks == plain.marks);
    // of both the plain one is read, and said to be
    for (const auto& entry : std::filesystem::directory_iterator(own.path("packed")))
      if (entry.path().extension() == ".gz")
        own.write((std::string(name) + "/") + entry.path().filename().string(), gzipped("damaged"));
    const Dataset both = load(own.path(name));
    CHECK(both.labels == plain.labels);
    CHECK(std::ranges::any_of(both.remarks, [](const std::string& remark) {
      return remark.find(" is read; there is also, not read: ") != std::string::npos;
    }));
    std::filesystem::remove_all(own.path("packed"));
  }
}

TEST_CASE("what follows xz data is told from data that end early", "[packed]") {
  const OwnCache own;
  const auto& xz = *std::find_if(std::begin(kPackings), std::end(kPackings),
                                 [](const Packing& p) { return std::string(p.name) == "xz"; });
  const std::string bytes = xz.pack("0 1\n");
  for (const std::string more : {"0 1\n", "j", "long rubbish behind the data of the file"}) {
    const auto path = own.write("more.xz", bytes + more);
    CHECK_THROWS_WITH(contentsOf(path),
                      path.string() + ": something else follows the xz data; only xz data may follow");
  }
  CHECK(viewOf(contentsOf(own.write("padded.xz", bytes + std::string(8, '\0') + bytes))) == "0 1\n0 1\n");
  const auto second = own.write("second.xz", bytes + bytes.substr(0, bytes.size() / 2));
  CHECK_THROWS_WITH(contentsOf(second), second.string() + ": " + xz.ends);
}

TEST_CASE("a zip archive that ends early is told as such, not by every format", "[packed]") {
  const OwnCache own;
  std::string zip = "PK\x03\x04";
  zip += std::string("\x14\0\0\0\x08\0", 6) + std::string(20, 'x') + "g.txt";
  const auto path = own.write("w.zip", zip);
  CHECK(refusalOf(path) == path.string() + ": the zip data end early; is the download complete?");
}
