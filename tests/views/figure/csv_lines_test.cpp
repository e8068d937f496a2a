#include "views/figure/csv_lines.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace halo;

TEST_CASE("lines of CSV have each heading once, plain numbers and nothing for none", "[figure]") {
  CsvLines lines(CsvFor::program);
  lines.headings({"run", "time", "time"});
  lines.text(QString("a, b")).number(0.1).number(std::nan(""));
  lines.end();
  lines.words(QString("1") + QChar(0x202F) + "000").cell(QVariant(qlonglong(7))).cell(QVariant(2.5));
  lines.end();
  CHECK(lines.bytes() == "run,time,time 2\n\"a, b\",0.1,\n1 000,7,2.5\n");
  CHECK(withUnit("time", "ms") == "time [ms]");
  CHECK(withUnit("time", "") == "time");
  CHECK(orElse("", "row") == "row");
}
