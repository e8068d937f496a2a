#include "engine/methods/minibatch/machine_parts.h"

#include "engine/base/index.h"
#include "engine/partition/contract/empty_parts.h"

namespace halo {
namespace {

constexpr int kConstraints = 3;

/// Vertices of the graph, ascending, with the arcs among them.
struct Piece {
  std::vector<Vertex> vertices;
  Csr arcs;
};

/// numberOf: room for a number of every vertex, −1 each before and after.
Piece pieceOf(const Csr& arcs, std::vector<Vertex> vertices, std::vector<Vertex>& numberOf) {
  Piece piece{std::move(vertices), {}};
  for (std::size_t i = 0; i < piece.vertices.size(); ++i)
    numberOf[at(piece.vertices[i])] = static_cast<Vertex>(i);
  piece.arcs.cols = std::ssize(piece.vertices);
  piece.arcs.offsets.assign(1, 0);
  for (const Vertex v : piece.vertices) {
    for (const Vertex u : arcs.row(v))
      if (numberOf[at(u)] >= 0) piece.arcs.columns.push_back(numberOf[at(u)]);
    piece.arcs.offsets.push_back(std::ssize(piece.arcs.columns));
  }
  for (const Vertex v : piece.vertices) numberOf[at(v)] = -1;
  return piece;
}

/// By vertex of the piece.
Owners divide(const PlacementRequest& request, const Piece& piece, int parts) {
  const Index count = std::ssize(piece.vertices);
  Owners owners(at(count), 0);
  if (parts == 1 || count == 0) return owners;
  Weights weights;
  for (const Vertex v : piece.vertices) {
    weights.push_back(1);
    weights.push_back(static_cast<std::int32_t>(request.arcs.degree(v)));
    weights.push_back(!request.split.empty() && request.split[at(v)] == Split::train ? 1 : 0);
  }
  Owners division;
  if (count > parts) division = request.divide(piece.arcs, weights, parts, kConstraints);
  for (Index v = 0; v < count; ++v)
    owners[at(v)] = !division.empty() ? division[at(v)]
                    : count <= parts  ? static_cast<std::int32_t>(v)
                                      : static_cast<std::int32_t>(v * parts / count);
  fillEmptyParts(piece.arcs, Weights(at(count), 1), parts, owners);
  return owners;
}

}  // namespace

Owners placeOnMachines(const PlacementRequest& request) {
  if (!request.divide) return request.partition(request.parts);
  const int machines = static_cast<int>(request.parameters.integer("machines"));
  const int ranks = request.parts / machines;  // of a machine
  const Index count = request.arcs.rows();
  std::vector<Vertex> all(at(count)), numberOf(at(count), -1);
  for (Index v = 0; v < count; ++v) all[at(v)] = static_cast<Vertex>(v);
  Owners owners = divide(request, {std::move(all), request.arcs}, machines);
  std::vector<std::vector<Vertex>> members(at(machines));
  for (Index v = 0; v < count; ++v) members[at(owners[at(v)])].push_back(static_cast<Vertex>(v));
  for (int machine = 0; machine < machines; ++machine) {
    const Piece piece = pieceOf(request.arcs, std::move(members[at(machine)]), numberOf);
    const Owners within = divide(request, piece, ranks);
    for (std::size_t i = 0; i < within.size(); ++i)
      owners[at(piece.vertices[i])] = machine * ranks + within[i];
  }
  return owners;
}

}  // namespace halo
