#pragma once

#include <string>
#include <vector>

namespace halo::test {

/// Names that a person may not have meant well with. In one format or another they are markup, quoting, a
/// formula, a command of a terminal or no text at all. None holds a zero byte.
inline std::vector<std::string> hostileNames() {
  std::string controls;
  for (char c = 1; c < 0x20; ++c) controls += c;
  return {"x</desc><script>alert(1)</script>",
          "</title></text><svg onload=\"alert(1)\"/>",
          "train & test &amp; &#60;",
          "]]><!-- -- > <?xml?> <!DOCTYPE x>",
          "\"quoted\", 'apostrophes', `ticks` and \\ backslashes\\",
          "%_#${}~^ \\input{/etc/passwd} \\end{document}",
          "=cmd|' /C calc'!A0",
          "+1+1",
          "-2+3",
          "@SUM(1,2)",
          "a,b;c\td",
          "line 1\nline 2\r\nline 3",
          "red \x1b[31m title \x1b]0;owned\x07 back\b\b\b",
          controls,
          "delete \x7f, C1 \xC2\x9B\x33\x31m and \xC2\x85",
          "no UTF-8: \xff\xfe \xc3( \xed\xa0\x80 \xf5\x80\x80\x80 \xe2\x82",
          "\u202Eright to left\u202C, \u2066isolated\u2069, \u200F\u05E2\u05D1\u05E8\u05D9\u05EA",
          "no characters \uFFFE\uFFFF, a replacement \uFFFD, a mark \uFEFF",
          "/MediaBox [0 0 1 1] /CreationDate (D:x startxref\nxref\n",
          "日本語 ünïcödé 😀",
          " blanks around ",
          std::string(4000, 'x') + "<b>&\"" + std::string(4000, ','),
          ""};
}

}  // namespace halo::test
