#include "engine/methods/minibatch/kept_rows.h"

#include <algorithm>
#include <numeric>

#include "engine/base/index.h"

namespace halo {

std::vector<std::size_t> mostRead(std::span<const Vertex> vertices, std::span<const Index> degrees,
                                  Index most) {
  std::vector<std::size_t> order(vertices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return degrees[a] != degrees[b] ? degrees[a] > degrees[b] : vertices[a] < vertices[b];
  });
  order.resize(at(std::min(most, std::ssize(order))));
  return order;
}

std::vector<std::uint8_t> keptVertices(const DrawRequest& request, int rank, int layers, Index capacity) {
  const std::size_t n = at(request.arcs.rows());
  std::vector<std::uint8_t> inside(n, 0);
  std::vector<Vertex> part;
  for (std::size_t v = 0; v < n; ++v)
    if (request.split[v] == Split::train && request.owners[v] == rank) {
      inside[v] = 1;
      part.push_back(static_cast<Vertex>(v));
    }
  std::vector<Index> arcs(n, 0);
  std::size_t begin = 0;
  for (int hop = 0; hop < layers; ++hop) {
    const std::size_t end = part.size();
    for (; begin < end; ++begin)
      for (const Vertex u : request.arcs.row(part[begin])) {
        if (u != part[begin]) ++arcs[at(u)];
        if (inside[at(u)] != 0) continue;
        inside[at(u)] = 1;
        part.push_back(u);
      }
  }
  std::vector<Index> degrees;
  for (const Vertex v : part) degrees.push_back(arcs[at(v)]);
  std::vector<std::uint8_t> kept(n, 0);
  for (const std::size_t place : mostRead(part, degrees, capacity)) kept[at(part[place])] = 1;
  return kept;
}

}  // namespace halo
