#include "datasets/parts/json_file.h"

#include <catch2/catch.hpp>
#include <string>

#include "datasets/overrides.h"
#include "tests/datasets/own_cache.h"
#include "tests/datasets/refusal.h"

using namespace halo;
using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

Json parsed(const std::string& text) {
  const OwnCache own;
  return readJson(own.write("a.json", text));
}

/// What is said of it from its name on.
std::string refused(const std::string& text) {
  const std::string message = refusal([&] { parsed(text); });
  return message.substr(std::min(message.size(), message.find("a.json")));
}

std::string nested(std::size_t levels, const std::string& inside) {
  return std::string(levels, '[') + inside + std::string(levels, ']');
}

std::string refusedLabels(const std::string& text, std::vector<std::string>* remarks = nullptr) {
  const OwnCache own;
  std::vector<std::string> fileRemarks;
  const std::string why = refusal([&] { readLabelFile(own.write("l.json", text), 3, fileRemarks); });
  if (remarks) *remarks = fileRemarks;
  return why.substr(std::min(why.size(), why.find("l.json")));
}

}  // namespace

TEST_CASE("JSON is read as the library's own parser reads it", "[json]") {
  for (const std::string text :
       {R"({"a": [1, -2, 2.5, 1e300, 18446744073709551615], "b": {"a": null, "": [true, false, {}, []]}})",
        "3", "\"\\\"[{\\u00e4\"", "[]", "{}", R"([{"x": {"x": {"x": 1}}}, {"x": "[[[["}])"}) {
    CAPTURE(text);
    CHECK(parsed(text) == Json::parse(text));
  }
  CHECK(parsed(nested(64, "1")) == Json::parse(nested(64, "1")));
}

TEST_CASE("JSON that nests too deeply is refused with its place, however deep", "[json]") {
  const std::string deep = "lists and objects lie more than 64 deep; a data set needs a few levels";
  CHECK(refused(nested(65, "1")) == "a.json:1:65: " + deep);
  CHECK(refused("{\"[[\\\"{\": 1,\n \"tr\": " + std::string(100'000, '[')) == "a.json:2:71: " + deep);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  CHECK(refused(objects) == "a.json:1:321: " + deep);
}

TEST_CASE("a zero byte in JSON is refused with its place, also behind the value", "[json]") {
  using namespace std::string_literals;
  CHECK(refused("{\"0\": [1]}\0 rubbish {"s) == "a.json:1:11: is not valid JSON from byte 11 on");
  CHECK(refused("{\"0\": 1}\n\0"s) == "a.json:2:1: is not valid JSON from byte 10 on");
  CHECK(refused("\xef\xbb\xbf[1]\0[2]"s) ==
        "a.json:1:4: is not valid JSON from byte 4 on");  // behind the mark
  CHECK_THAT(refused("{\"0\": \0 1}"s), Contains("is not valid JSON from byte 7 on"));
  CHECK_THAT(refusedLabels("{\"0\": 1, \"1\": 0, \"2\": 0}\0, \"3\": 5}"s),
             Contains("is not valid JSON from byte"));
}

TEST_CASE("NaN as Python writes it in JSON is refused in words", "[json]") {
  const std::string python = ", as json.dumps of Python writes it; null says that there is no value";
  CHECK_THAT(refused("{\"0\": 1, \"1\": NaN}"), Contains(": NaN" + python));
  CHECK_THAT(refused("[1, -Infinity]"), Contains(": Infinity" + python));
  CHECK_THAT(refused("{\"NaN\": x}"), !Contains("Python"));
}

TEST_CASE("a key given twice in one object is refused with its place", "[json]") {
  const std::string twice = "stands twice in one object; every key once";
  CHECK(refused("{\"0\": 1, \"1\": 0, \"0\": 2}") == "a.json:1:18: '0': " + twice);
  CHECK(refused("{\"x\": {\"b\": \"k\", \"c\": [{\"k\": 1,\n  \"k\" : 1}]}}") == "a.json:2:3: 'k': " + twice);
  CHECK(refused("{\"a\\\"b\": 1, \"a\\u0022b\": 1}") == "a.json:1:13: 'a\"b': " + twice);
  CHECK(refused("[{\"a\": 1}, {\"a\": 1}]").empty());
}

TEST_CASE("what is no JSON is refused with its line and column", "[json]") {
  CHECK(refused("{\"a\": 1,\n  oops}") == "a.json:2:3: is not valid JSON from byte 12 on");
  CHECK(refused("") == "a.json:1:1: is not valid JSON from byte 1 on");
  CHECK(refused("[1, 2") == "a.json:1:6: is not valid JSON from byte 6 on");
  CHECK(refused("[1,\n 1e999]") == "a.json:2:2: holds a number that is too large for any computer's");
}

TEST_CASE("labels in JSON name every vertex once and a class within the limit", "[json]") {
  std::vector<std::string> remarks;
  CHECK(refusedLabels(R"({"0": 1, "1": 0, "2": 1000000})", &remarks).empty());
  CHECK(remarks.empty());
  CHECK(refusedLabels(R"({"0": 1, "2": 0})", &remarks).empty());
  CHECK(remarks == std::vector<std::string>{"l.json has no entry for 1 of 3 vertices"});
  const std::string range = " is no class; a class is a whole number from 0 to 1000000";
  CHECK(refusedLabels(R"({"0": 1000001})") == "l.json:1:7: '0': 1000001" + range);
  CHECK(refusedLabels(R"({"0": 1e10})") == "l.json:1:7: '0': 10000000000.0" + range);
  CHECK(refusedLabels(R"({"0": "1"})") == "l.json:1:7: '0': \"1\"" + range);
  CHECK(refusedLabels(R"({"0": true})") == "l.json:1:7: '0': true" + range);
  CHECK(refusedLabels(R"({"00": 1, "0": 0})") ==
        "l.json:1:8: '00': names a vertex that another key names; a class a vertex");
  CHECK(refusedLabels(R"({"-0": 1})") == "l.json:1:8: '-0': has a class but is no vertex; 0 to 2");
  // of more keys than vertices the wrong one is named
  CHECK(refusedLabels(R"({"0": 1, "1": 0, "10": 1, "2": 0})") ==
        "l.json:1:24: '10': has a class but is no vertex; 0 to 2");
  CHECK(refusedLabels(R"({"0": 1, "1": 0, "2": 1, "02": 0})") ==
        "l.json:1:23: '2': names a vertex that another key names; a class a vertex");
  CHECK(refusedLabels(R"({"0": [], "1": []})") ==
        "l.json:1:7: '0': is an empty list; a 0 or 1 for every class");
  CHECK_THAT(refusedLabels("{\"0\": 1, \"0\": 0}"), Contains("l.json:1:10: '0': stands twice"));
}

TEST_CASE("a value of JSON that means nothing is refused at its line and column", "[json]") {
  CHECK(refusedLabels("[1, 0, 1]") == "l.json:1:1: is not an object of vertex and class");
  CHECK(refusedLabels("\n {}") == "l.json:2:2: is not an object of vertex and class");
  CHECK(refusedLabels("{\"0\": 1,\n \"a\\\"{[\": 3}").starts_with("l.json:2:11: 'a\"{['"));
  CHECK(refusedLabels("{\"0\": [0, 1],\n\"1\": [1,\n 7]}") ==
        "l.json:3:2: '1': element 1 is neither 0 nor 1");
  CHECK(refusedLabels("{\"0\": [0, 1],\n\"1\":  [1]}").starts_with("l.json:2:7: '1': is not a list of 2"));
  CHECK(refusedLabels("\xef\xbb\xbf{\"0\": \"x\"}").starts_with("l.json:1:"));
}

TEST_CASE("a vertex of a JSON file has no label where its value says so", "[json]") {
  for (const char* none : {"null", "-1", "-1.0", "\"\"", "\"None\"", "\"nan\"", "\"NA\""}) {
    CAPTURE(none);
    CHECK(refusedLabels("{\"0\": " + std::string(none) + ", \"1\": 0, \"2\": 1}").empty());
    CHECK(refusedLabels("{\"0\": " + std::string(none) + ", \"1\": [0, 1], \"2\": [1, 1]}").empty());
  }
  CHECK(refusedLabels(R"({"0": -2, "1": 0})").starts_with("l.json:1:7: '0': -2 is no class"));
}
