#include "datasets/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "datasets/bundled/karate.h"
#include "datasets/generate/generate.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

constexpr const char* kNoLicence = "not stated";
constexpr const char* kPlanetoid = "Yang et al., ICML 2016 (Planetoid)";
constexpr const char* kPitfalls = "Shchur et al., 2018 (Pitfalls of Graph Neural Network Evaluation)";
constexpr const char* kSaint = "Zeng et al., ICLR 2020 (GraphSAINT)";
constexpr const char* kOgb = "Hu et al., NeurIPS 2020 (Open Graph Benchmark)";

std::vector<CatalogueEntry> published() {
  const auto entry = [](const char* name, const char* help, Index vertices, Index arcs, Index features,
                        std::int32_t classes, const char* source, const char* licence,
                        bool multiLabel = false) {
    return CatalogueEntry{name,     "published", help,       vertices, arcs,
                          features, classes,     multiLabel, source,   licence};
  };
  return {
      entry("amazon-photo", "goods bought together", 7650, 238162, 745, 8, kPitfalls, "MIT (repository)"),
      entry("amazon-products", "goods reviewed by the same person, many labels each", 1569960, 264339468, 200,
            107, kSaint, kNoLicence, true),
      entry("citeseer", "citations among papers", 3327, 9104, 3703, 6, kPlanetoid, "MIT (repository)"),
      entry("com-amazon", "goods bought together; no features, no labels", 334863, 1851744, 0, 0,
            "Yang and Leskovec, ICDM 2012 (com-Amazon)", kNoLicence),
      entry("coauthor-cs", "authors who wrote together", 18333, 163788, 6805, 15, kPitfalls,
            "MIT (repository)"),
      entry("cora", "citations among papers", 2708, 10556, 1433, 7, kPlanetoid, "MIT (repository)"),
      entry("dblp", "citations among papers", 17716, 105734, 1639, 4,
            "Bojchevski and Günnemann, ICLR 2018 (CitationFull)", "MIT (repository)"),
      entry("flickr", "images with common properties", 89250, 899756, 500, 7, kSaint, kNoLicence),
      entry("ogbn-arxiv", "citations among arXiv papers, directed", 169343, 1166243, 128, 40, kOgb, "ODC-BY"),
      entry("ogbn-papers100M", "citations among papers, directed", 111059956, 1615685872, 128, 172, kOgb,
            "ODC-BY"),
      entry("ogbn-products", "goods bought together", 2449029, 123718280, 100, 47, kOgb, "Amazon licence"),
      entry("orkut", "friendships; no features, no labels", 3072441, 234370166, 0, 0,
            "Yang and Leskovec, ICDM 2012 (com-Orkut)", kNoLicence),
      entry("ppi", "proteins that interact, many labels each", 14755, 225270, 50, 121, kSaint, kNoLicence,
            true),
      entry("pubmed", "citations among papers on diabetes", 19717, 88648, 500, 3, kPlanetoid,
            "MIT (repository)"),
      entry("reddit", "posts commented by the same person", 232965, 114615892, 602, 41,
            "Hamilton et al., NeurIPS 2017 (GraphSAGE)", kNoLicence),
      entry("yelp", "friendships of reviewers, many labels each", 716847, 13954819, 300, 100, kSaint,
            kNoLicence, true),
  };
}

CatalogueEntry ofShape(const GraphShape& shape) {
  const double arcs = static_cast<double>(shape.vertices) * shape.averageDegree;
  return {shape.name,
          shape.name == "cora-like" ? "bundled" : "generated",
          fmt::format("generated, resembles {}{}", shape.resembles, shape.directed ? ", directed" : ""),
          shape.vertices,
          std::llround(arcs),
          shape.features,
          shape.classes,
          shape.multiLabel,
          "made here from a seed",
          "free of rights"};
}

std::vector<CatalogueEntry> makeCatalogue() {
  std::vector<CatalogueEntry> all = published();
  all.push_back({"karate", "bundled", "friendships in a karate club that split in two", 34, 156, 34, 2, false,
                 "Zachary 1977", "facts from the publication"});
  for (const GraphShape& shape : generatedShapes()) all.push_back(ofShape(shape));
  const auto rank = [](const CatalogueEntry& e) {
    return e.kind == "bundled" ? 0 : e.kind == "generated" ? 1 : 2;
  };
  std::ranges::sort(all, [&](const CatalogueEntry& a, const CatalogueEntry& b) {
    return std::pair(rank(a), a.name) < std::pair(rank(b), b.name);
  });
  return all;
}

}  // namespace

const std::vector<CatalogueEntry>& catalogue() {
  static const std::vector<CatalogueEntry> entries = makeCatalogue();
  return entries;
}

const CatalogueEntry* catalogued(const std::string& name) {
  const auto entry = std::ranges::find(catalogue(), name, &CatalogueEntry::name);
  return entry == catalogue().end() ? nullptr : &*entry;
}

Dataset makeCatalogued(const CatalogueEntry& entry, double scale, std::uint64_t seed,
                       const Progress& progress) {
  const auto shape = std::ranges::find(generatedShapes(), entry.name, &GraphShape::name);
  if (shape != generatedShapes().end()) return generate(*shape, scale, seed, progress);
  if (entry.name != "karate")
    throw InputError({.key = "dataset.name",
                      .message = fmt::format(
                          "'{}' is a published data set and not part of Haloscope; get it ({}) and give its "
                          "folder as dataset.path",
                          entry.name, entry.source)});
  if (scale != 1.0)
    throw InputError(
        {.key = "dataset.scale",
         .message = fmt::format("{} cannot be used for karate; only generated sets have a scale", scale)});
  return karateClub();
}

}  // namespace halo
