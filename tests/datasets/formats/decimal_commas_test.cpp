// Numbers whose decimals follow a comma, in formats that have points, also where nobody reads them.

#include "tests/datasets/loading.h"

using namespace halo;

TEST_CASE("a decimal comma in a GML file is refused, also under keys that are not read", "[gml]") {
  const auto graph = [](const std::string& node, const std::string& edge) {
    return "graph [ weighted 1\n  node [ id 0 " + node + " ]\n  node [ id 1 ]\n  edge [ source 0 target 1 " +
           edge + " ]\n]\n";
  };
  for (const std::string number : {"0,5", "-12,25", "1.234,5", "1,2e-05"}) {
    CAPTURE(number);
    CHECK(refusalOf("a.gml", graph("", "weight " + number)) ==
          "a.gml:4:35: '" + number + "' is not a number; decimals with a point");
    CHECK(refusalOf("a.gml", graph("graphics [ x 1.5 y " + number + " ]", "")) ==
          "a.gml:2:34: '" + number + "' is not a number; decimals with a point");
    CHECK(refusalOf("a.gml", graph("label \"" + number + "\"", "")).empty());
  }
  for (const std::string text : {"a,b", "0.5", "x", "\"0,5\"", "1e-05"}) {
    CAPTURE(text);
    CHECK(refusalOf("a.gml", graph("note " + text, "weight 0.5")).empty());
  }
}

TEST_CASE("commas between the keys of a GML file are refused", "[gml]") {
  CHECK(refusalOf("a.gml", "graph [ node [ id 0 label \"a\", value 1 , x 2 ] node [ id 1 ] ]") ==
        "a.gml:1:30: ',' where a key should be; keys and values in turn, blanks between them");
  CHECK(refusalOf("a.gml", "graph [ node [ id 0 at 1 2 ] node [ id 1 ] ]") ==
        "a.gml:1:26: '2' where a key should be; keys and values in turn, blanks between them");
}

TEST_CASE("lines with a comma among lines without are refused in lists of edges and of neighbours",
          "[formats]") {
  const std::string comma = "',' between the fields of this line, ",
                    blanks = "blanks or tabs in the lines above",
                    rest = "; one kind of separator in a file, and decimals with a point";
  CHECK(refusalOf("m.txt", "0 1\n12,5\n2 3\n") == "m.txt:2:3: " + comma + blanks + rest);
  CHECK(refusalOf("m.txt", "0\t1\n12,5\n") == "m.txt:2:3: " + comma + blanks + rest);
  CHECK(refusalOf("m.csv", "0;1\n12,5\n") == "m.csv:2:3: " + comma + "';' in the lines above" + rest);
  CHECK(refusalOf("m.csv", "12,5\n0;1\n").starts_with("m.csv:2:2: ';' between the fields of this line, ','"));
  CHECK(refusalOf("m.csv", "source;target\n12,5\n13,5\n") ==
        "m.csv:2:3: " + comma + "';' in the lines above" + rest);
  CHECK(refusalOf("m.txt", "3 2\n0 1\n1,2\n", "counted-edge-list") == "m.txt:3:2: " + comma + blanks + rest);
  CHECK(refusalOf("adj.txt", "0 1 2\n1,0\n2 0\n") == "adj.txt:2:2: " + comma + blanks + rest);
  CHECK(refusalOf("a.graph", "3 2\n2\n1 3\n2\n").empty());
  CHECK(refusalOf("a.graph", "4 3\n2 3\n1,4\n1\n2\n") == "a.graph:3:2: " + comma + blanks + rest);
  for (const char* right :
       {"0 1\n1\t2\n", "0, 1\n1,2\n2 ,3\n", "source target\n0,1\n1,2\n", "a,b\n0 1\n1 2\n", "0;1\n1;2\n",
        "source;target\n0;1\n1;2\n", "0,1,7\n1,2,8\n", "12,5\n13,25\n"}) {
    CAPTURE(right);
    CHECK(refusalOf("m.txt", right).empty());
  }
}

TEST_CASE("edges that may be numbers with a comma before their decimals are remarked", "[formats]") {
  const std::string remark =
      "m.csv: every row is read as two columns with ',' between them; if the comma stands";
  CHECK(remarks(loadText("m.csv", "12,5\n2,05\n3,75\n"), remark));
  CHECK(remarks(loadText("m.csv", "# x\n12,50\n2,00\n"), remark));
  for (const char* pairs : {"12,5\n13,25\n14,0\n", "001,002\n002,003\n", "source,target\n12,5\n2,05\n",
                            "12,5,1\n2,05,1\n", "12 5\n2 05\n", "# source,target\n12,5\n2,05\n"}) {
    CAPTURE(pairs);
    CHECK_FALSE(remarks(loadText("m.csv", pairs), "if the comma stands"));
  }
}

TEST_CASE("ends of edges that commas or blanks may group as thousands are remarked", "[formats]") {
  CHECK(remarks(loadText("e.csv", "1,234,5,678\n1,235,1,234\n2,500,1,234\n"),
                "if it groups thousands, leave it out"));
  CHECK(remarks(loadText("e.tsv", "1 234\t56\t0.5\n1 235\t57\t0.7\n"), "a blank is read as what stands"));
  CHECK_FALSE(remarks(loadText("e.csv", "1,2,5,678\n1,3,1,234\n2,5,1,234\n"), "thousands"));
  CHECK_FALSE(remarks(loadText("e.tsv", "1234\t56\t0.5\n1235\t57\t0.7\n"), "thousands"));
}
