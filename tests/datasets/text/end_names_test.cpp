#include "datasets/text/end_names.h"

#include <catch2/catch.hpp>

#include "datasets/text/edge_ends.h"
#include "tests/datasets/own_cache.h"
#include "tests/datasets/refusal.h"

using namespace halo;

namespace {

/// Which column of a line of names is refused above edges, with its name; "": none is.
std::string misplaced(const std::string& names) {
  const OwnCache own;
  TextFile text(own.write("e.csv", names + "\n"));
  std::string_view line;
  text.next(line);
  const std::string message = refusal([&] { requireEndsFirst(text, line); });
  const std::size_t at = message.find("column ");
  return at == std::string::npos ? "" : message.substr(at, message.find(';') - at);
}

}  // namespace

TEST_CASE("a name is taken apart into words, in small letters without accents", "[columns]") {
  using Words = std::vector<std::string>;
  CHECK(NameParts("destIP2").words == Words{"dest", "ip", "2"});
  CHECK(NameParts(":START_ID(Person)").words == Words{"start", "id", "person"});
  CHECK(NameParts("Empfänger Straße").words == Words{"empfanger", "strasse"});
  CHECK(NameParts("ИСТОЧНИК_Ёж").words == Words{"источник", "еж"});
  CHECK(NameParts("source_node_id").core == "source");
  CHECK(NameParts("–").words == Words{"–"});
  CHECK(NameParts("").words.empty());
}

TEST_CASE("names of a target before its source are known in many words", "[columns]") {
  for (const char* names : {":END_ID,:START_ID",  "sink,source",    "trg,src",
                            "cible,source",       "n2,n1",          "_inV,_outV",
                            "цель,источник",      "Ziel,Quelle",    "~to,~from",
                            "куда,откуда",        "目标,源",        "target,node",
                            "friend,source_node", "nodeB,nodeA",    "protein2,protein1",
                            "Empfänger,Absender", "arrivée,départ", "dst;origin",
                            "to_id\tsender",      "hedef,kaynak",   ":END_ID(Movie),:START_ID(Person)"}) {
    CAPTURE(names);
    CHECK(misplaced(names).starts_with("column "));
  }
  CHECK(misplaced("sink,source") == "column 2 is named 'source'");
  CHECK(misplaced("target,node") == "column 1 is named 'target'");
  CHECK(misplaced(",target,source") == "column 3 is named 'source'");
  for (const char* names :
       {":START_ID,:END_ID", "source,sink", "src,trg", "source,cible", "n1,n2", "_outV,_inV", "источник,цель",
        "node,target", "source,friend", "friend,other", "nodeA,nodeB", "f1,f2,f3", "head,tail", "tail,head",
        "neighbor,node", "in,out", "buyer,seller"}) {
    CAPTURE(names);
    CHECK(misplaced(names).empty());
  }
}

TEST_CASE("names that put something else before an end are refused", "[columns]") {
  CHECK(misplaced("nr,von,nach") == "column 2 is named 'von'");
  CHECK(misplaced("subject,predicate,object") == "column 3 is named 'object'");
  CHECK(misplaced("user,rating,item") == "column 2 is named 'rating'");
  CHECK(misplaced("layerID,nodeID,nodeID") == "column 2 is named 'nodeID'");
  CHECK(misplaced("node,degree,neighbor") == "column 2 is named 'degree'");
  for (const char* names :
       {":START_ID,role,:END_ID", "h,r,t", "s,p,o", "nr,a,b", "lfd_nr,person,freund", "year,author,other",
        "node,label", "id,weight", "start,node,end", "x,y,source,target", "~id,~from,~to", "nr,n1,n2",
        "edge_weight,a_node,b_node", "№,от,до", "no,one,two", "timestamp,user"}) {
    CAPTURE(names);
    CHECK(misplaced(names).starts_with("column "));
  }
  for (const char* names :
       {"von,nach,nr", "subject,object,predicate", "user,item,rating", "nodeID,nodeID,layerID",
        "user,friend,item", "id,target,w", "a,b,start,end", "label_a,label_b", "v,w,x", "user,friend,since",
        "node_id,paper_id", "node_id,neighbor,weight", "uid,friend,time", "author,coauthor,paper",
        "label,label"}) {
    CAPTURE(names);
    CHECK(misplaced(names).empty());
  }
}

TEST_CASE("names that say one end alone are told as what they are taken for", "[columns]") {
  CHECK(endsTaken("id,target").find("'id' as the source and 'target' as the target") != std::string::npos);
  CHECK(endsTaken(",friend,other").find("'friend' as the source") != std::string::npos);
  for (const char* both : {"head,tail", "tail,head", "h,t"})  // some write them the other way round
    CHECK(endsTaken(both).find("as the source and") != std::string::npos);
  CHECK(endsTaken("row,col").empty());
  CHECK(endsTaken(",0,1").empty());
  CHECK(endsTaken(":START_ID,:END_ID").empty());
}
