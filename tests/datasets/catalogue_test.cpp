#include "datasets/catalogue.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "datasets/generate/generate.h"
#include "datasets/load.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

using namespace halo;

TEST_CASE("the catalogue names every entry once and knows what it says of it", "[catalogue]") {
  std::set<std::string> names;
  for (const CatalogueEntry& entry : catalogue()) {
    CAPTURE(entry.name);
    CHECK(names.insert(entry.name).second);
    CHECK((entry.kind == "bundled" || entry.kind == "generated" || entry.kind == "published"));
    CHECK(entry.vertices > 0);
    CHECK(entry.arcs > entry.vertices);
    CHECK_FALSE(entry.help.empty());
    CHECK_FALSE(entry.source.empty());
    CHECK_FALSE(entry.licence.empty());
    CHECK(catalogued(entry.name) == &entry);
  }
  CHECK(catalogued("no such set") == nullptr);
}

TEST_CASE("generated shapes have the sizes of the sets they resemble", "[catalogue]") {
  const std::pair<const char*, const char*> pairs[] = {{"arxiv-like", "ogbn-arxiv"},
                                                       {"cora-like", "cora"},
                                                       {"orkut-like", "orkut"},
                                                       {"reddit-like", "reddit"},
                                                       {"yelp-like", "yelp"},
                                                       {"papers100m-like", "ogbn-papers100M"},
                                                       {"products-like", "ogbn-products"},
                                                       {"com-amazon-like", "com-amazon"}};
  for (const auto& [like, published] : pairs) {
    CAPTURE(like);
    const CatalogueEntry *likeEntry = catalogued(like), *publishedEntry = catalogued(published);
    REQUIRE(likeEntry != nullptr);
    REQUIRE(publishedEntry != nullptr);
    CHECK(likeEntry->vertices == publishedEntry->vertices);
    CHECK(static_cast<double>(likeEntry->arcs) ==
          Approx(static_cast<double>(publishedEntry->arcs)).epsilon(0.001));
    if (publishedEntry->features == 0) continue;
    CHECK(likeEntry->features == publishedEntry->features);
    CHECK(likeEntry->classes == publishedEntry->classes);
    CHECK(likeEntry->multiLabel == publishedEntry->multiLabel);
  }
}

TEST_CASE("bundled sets need no file and are as catalogued", "[catalogue]") {
  for (const CatalogueEntry& entry : catalogue()) {
    if (entry.kind != "bundled") continue;
    CAPTURE(entry.name);
    const Dataset data = makeCatalogued(entry, 1.0, /*seed=*/1);
    CHECK(data.name == entry.name);
    CHECK(data.vertices() == entry.vertices);
    CHECK(static_cast<double>(data.arcs.nonzeros()) == Approx(static_cast<double>(entry.arcs)).epsilon(0.05));
    CHECK(data.features.rows() == entry.vertices);
    CHECK(data.features.cols() == entry.features);
    CHECK(data.labels.size() == at(entry.vertices));
    CHECK(data.classes == entry.classes);
    CHECK(data.split.size() == at(entry.vertices));
    CHECK_FALSE(data.fingerprint.empty());
    CHECK(isSymmetric(data.arcs));
    CHECK(selfLoops(data.arcs) == 0);
  }
}

TEST_CASE("the karate club is Zachary's", "[catalogue]") {
  const Dataset data = makeCatalogued(*catalogued("karate"), 1.0, 1);
  CHECK(data.arcs.rows() == 34);
  CHECK(data.arcs.nonzeros() == 2 * 78);
  CHECK(data.arcs.degree(0) == 16);   // the instructor
  CHECK(data.arcs.degree(33) == 17);  // the president
  CHECK(std::ranges::count(data.labels, 0) == 17);
  CHECK(std::ranges::count(data.labels, 1) == 17);
  CHECK(data.labels[0] == 0);
  CHECK(data.labels[33] == 1);
  Index between = 0;
  for (Index v = 0; v < 34; ++v)
    for (const Vertex u : data.arcs.row(v)) between += data.labels[at(u)] != data.labels[at(v)];
  CHECK(between == 2 * 11);
}

TEST_CASE("a published set and a scale that is not there are refused with what to do", "[catalogue]") {
  CHECK_THROWS_WITH(makeCatalogued(*catalogued("ogbn-products"), 1.0, 1),
                    Catch::Contains("dataset.name: 'ogbn-products' is a published data set") &&
                        Catch::Contains("give its folder as dataset.path"));
  CHECK_THROWS_WITH(makeCatalogued(*catalogued("karate"), 0.5, 1),
                    "dataset.scale: 0.5 cannot be used for karate; only generated sets have a scale");
}

TEST_CASE("a generated directed set gets its inverse arcs unless it is asked for as it is", "[catalogue]") {
  DatasetRequest request;
  request.name = "arxiv-like";
  request.scale = 0.01;
  const Dataset both = loadDataset(request);
  request.directed = true;
  const Dataset asIs = loadDataset(request);
  CHECK_FALSE(both.directed);
  CHECK(isSymmetric(both.arcs));
  CHECK(asIs.directed);
  CHECK_FALSE(isSymmetric(asIs.arcs));
  CHECK(both.arcs.columns == symmetrised(asIs.arcs).columns);
  CHECK(both.fingerprint != asIs.fingerprint);
}
