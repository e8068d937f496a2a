#include "engine/base/index.h"
#include "engine/comm/exchange/row_directory.h"

#include <catch2/catch.hpp>

#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("any rank gets any vertex's arcs, rows and elements from its owner", "[row-directory]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  const Csr adjacency = randomDirected(61, 400, 5);
  const Owners owners = scatteredOwners(61, comm.size());
  const LocalGraph graph = localGraph(adjacency, owners, comm.rank(), comm.size());
  Matrix own(static_cast<Index>(graph.owned.size()), 3);
  std::vector<std::int32_t> squares;
  for (std::size_t i = 0; i < graph.owned.size(); ++i) {
    for (int c = 0; c < 3; ++c)
      own.row(static_cast<Index>(i))[at(c)] = static_cast<Scalar>(10 * graph.owned[i] + c);
    squares.push_back(graph.owned[i] * graph.owned[i]);
  }
  RowDirectory directory(comm, graph);
  CHECK(directory.owners() == owners);
  std::vector<Vertex> vertices;  // another choice on each rank, none on the last of several; not in order
  for (Vertex v = 60; v >= 0; v -= comm.rank() + 1) vertices.push_back(v);
  if (comm.size() > 1 && comm.rank() == comm.size() - 1) vertices.clear();
  const Csr arcs = directory.propagationRows(vertices);
  const Matrix rows = directory.rows(own, vertices);
  const std::vector<std::int32_t> elements = directory.elements(squares, vertices);
  CHECK(arcs.cols == 61);
  REQUIRE(arcs.rows() == static_cast<Index>(vertices.size()));
  REQUIRE(rows.rows() == arcs.rows());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const auto row = static_cast<Index>(i);
    CHECK(std::ranges::equal(arcs.row(row), adjacency.row(vertices[i])));
    CHECK(rows.row(row)[2] == static_cast<Scalar>(10 * vertices[i] + 2));
    CHECK(elements[i] == vertices[i] * vertices[i]);
  }
  CHECK(comm.takeFlows().empty());
}
