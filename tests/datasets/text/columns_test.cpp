#include "datasets/text/columns.h"
#include "datasets/text/edge_ends.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/datasets/own_cache.h"
#include "tests/datasets/refusal.h"

using namespace halo;
using Names = std::vector<std::string>;

namespace {

/// What `require` says of a file that begins with `names`.
template <class Require>
std::string refusedNames(const std::string& names, Require require) {
  const OwnCache own;
  TextFile text(own.write("e.csv", names + "\n"));
  std::string_view line;
  text.next(line);
  return refusal([&] { require(text, line); });
}

bool misplaced(const std::string& names) { return !refusedNames(names, requireEndsFirst).empty(); }

}  // namespace

TEST_CASE("a line names columns if its first cell is a word, or none above an index", "[columns]") {
  CHECK(columnNames("node_id,f1")->names == Names{"node_id", "f1"});
  CHECK(columnNames("\"a;b\";\"c\"\"d\"")->names == Names{"a;b", "c\"d"});
  CHECK(columnNames("a  b c ")->names == Names{"a", "b", "c"});
  CHECK(columnNames("\tf1\tf2")->names == Names{"", "f1", "f2"});
  CHECK(columnNames(",0,1")->names == Names{"", "0", "1"});
  CHECK(columnNames("größe,_x")->names == Names{"größe", "_x"});
  for (const char* values :
       {"", "1,2", ",2.5,3", ",1,2", ",", "nan,1", "NA,1", "inf", "-1,a", "null,2", ".5"}) {
    CAPTURE(values);
    CHECK_FALSE(columnNames(values));
  }
}

TEST_CASE("numbers number rows if they are 0 or 1 and so on, each once", "[columns]") {
  const std::vector<double> inOrder = {0, 1, 2}, shuffled = {3, 1, 2}, gap = {0, 1, 3}, twice = {0, 1, 1},
                            half = {0, 1.5, 2}, later = {2, 3, 4};
  CHECK(rowNumbers(inOrder)->inOrder);
  CHECK(rowNumbers(shuffled)->first == 1);
  CHECK_FALSE(rowNumbers(shuffled)->inOrder);
  for (const auto& numbers : {gap, twice, half, later, {}}) CHECK_FALSE(rowNumbers(numbers));
}

TEST_CASE("names above edges are refused where they put the ends elsewhere", "[columns]") {
  for (const char* names : {"id,source,target", "edge_id,u,v", "weight,from,to", "source,weight,target",
                            "target,source", "index,a,b", "Unnamed: 1,id_1,id_2"})
    CHECK(misplaced(names));
  for (const char* names : {"source,target", "id_1,id_2", "from,to,weight", "node_id\tnode_id", "v,w,x",
                            "id,target,w", "NODE_ID,ARTICLE_ID", "u v", "0 1", "Unnamed: 0,id_1,id_2"})
    CHECK_FALSE(misplaced(names));
}

TEST_CASE("names above lists of labels are refused where they put the vertex elsewhere", "[columns]") {
  CHECK(refusedNames("label,node", requireVertexFirst)
            .ends_with("e.csv:1: column 2 is named 'node'; the first column is the vertex, labels follow"));
  CHECK_FALSE(refusedNames(",node,label", requireVertexFirst).empty());
  for (const char* names : {"node label", "vertex,class", "paper\tvenue", "0 1", ",label"})
    CHECK(refusedNames(names, requireVertexFirst).empty());
}

TEST_CASE("a word before one number names no columns, unless it is a known name", "[columns]") {
  for (const char* names : {"node_id,0", "id 1", "label,0,1", "f,2019,2020", "a,b"})
    CHECK(columnNames(names));
  for (const char* values : {"O 1", "O,1", "l;0", "x\t2.5"}) CHECK_FALSE(columnNames(values));
}

TEST_CASE("ends that stand the other way round are known in more words", "[columns]") {
  for (const char* names : {"end_node,start_node", "end,start", "dest_ip,source_ip", "destIP,sourceIP",
                            "alter,ego", "Ziel,Quelle", "to_user,from_user,weight",
                            "Destination Address;Source Address", "callee caller", "successor,predecessor"}) {
    CAPTURE(names);
    CHECK(refusedNames(names, requireEndsFirst).find("is named") != std::string::npos);
    CHECK(misplaced(names));
  }
  for (const char* names :
       {"start_node,end_node", "source_ip,dest_ip", "ego,alter", "Quelle,Ziel", "person_a,person_b,end,start",
        "a_node,b_node,from_date,to_date", "friend,other", ",src,dst"}) {
    CAPTURE(names);
    CHECK_FALSE(misplaced(names));
  }
  CHECK(endsTaken("friend,other,since") ==
        "the first two are read as the ends of an edge, 'friend' as the source and 'other' as the target");
  for (const char* names : {"node_id\tnode_id", "source_ip,dest_ip", "id_1,id_2", "u v w"})
    CHECK(endsTaken(names).empty());
}

TEST_CASE("cells that count the columns are counted", "[columns]") {
  CHECK(countedColumns("0,1") == 2);
  CHECK(countedColumns("\"0\" \"1\" 2") == 3);
  CHECK(countedColumns("0") == 1);
  for (const char* cells : {"", "1,2", "0,2", "0,1,1", "0,1.0", "a", "00,1"})
    CHECK(countedColumns(cells) == 0);
}
